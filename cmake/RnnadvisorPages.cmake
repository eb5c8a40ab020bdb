# The manual, what completes commands in shells, and a page of every rule, written by the program that was built, to where they are installed below the prefix. A sanitized program would
# slow the build down, and one for another machine does not run here: with those they are written on request, and installed if they are there.
set(manual "${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_MANDIR}/man1/rnnadvisor.1")
set(rule_pages "${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_DOCDIR}/rules")
cmake_path(GET manual PARENT_PATH manual_folder)
# Where each shell looks below a prefix such as /usr/local.
set(completions bash-completion/completions/rnnadvisor zsh/site-functions/_rnnadvisor fish/vendor_completions.d/rnnadvisor.fish)
set(completion_files "")
set(write_completions "")
foreach(completion IN LISTS completions)
  string(REGEX MATCH "^[a-z]+" shell "${completion}")
  set(file "${PROJECT_BINARY_DIR}/${CMAKE_INSTALL_DATADIR}/${completion}")
  cmake_path(GET file PARENT_PATH folder)
  list(APPEND completion_files "${file}")
  list(APPEND write_completions COMMAND ${CMAKE_COMMAND} -E make_directory "${folder}" COMMAND rnnadvisor completion ${shell} > "${file}")
endforeach()
# The folder is made anew, because a rule may have gone; the builder's own rules stay out. The manual, the first output, is written last: make
# compares the time of the first alone.
add_custom_command(OUTPUT "${manual}" "${rule_pages}/README.md" ${completion_files}
  COMMAND ${CMAKE_COMMAND} -E rm -rf "${rule_pages}"
  COMMAND ${CMAKE_COMMAND} -E make_directory "${manual_folder}"
  COMMAND ${CMAKE_COMMAND} -E env --unset=RNNADVISOR_RULES $<TARGET_FILE:rnnadvisor> rules docs "${rule_pages}" --quiet
  ${write_completions}
  COMMAND rnnadvisor man > "${manual}"
  DEPENDS rnnadvisor COMMENT "Writing the manual, completions and the pages of the rules" VERBATIM)
if(RNNADVISOR_SANITIZE OR CMAKE_CROSSCOMPILING)
  add_custom_target(written_pages DEPENDS "${manual}")
  set(if_there OPTIONAL)
else()
  add_custom_target(written_pages ALL DEPENDS "${manual}")
  set(if_there "")
endif()
install(FILES "${manual}" DESTINATION "${CMAKE_INSTALL_MANDIR}/man1" COMPONENT Runtime ${if_there})
install(DIRECTORY "${rule_pages}" DESTINATION "${CMAKE_INSTALL_DOCDIR}" COMPONENT Runtime ${if_there})
foreach(file completion IN ZIP_LISTS completion_files completions)
  cmake_path(GET completion PARENT_PATH folder)
  install(FILES "${file}" DESTINATION "${CMAKE_INSTALL_DATADIR}/${folder}" COMPONENT Runtime ${if_there})
endforeach()
