# rnnadvisor_torch_python(variable): the interpreter for tests with PyTorch: RNNADVISOR_TEST_PYTHON where it is set (CMake or
# environment), else the first python3 that has a torch, else the first python3. Empty where there is none.
function(rnnadvisor_torch_python variable)
  set(found "${RNNADVISOR_TEST_PYTHON}")
  find_program(first_python NAMES python3 NO_CACHE)
  foreach(candidate IN ITEMS "$ENV{RNNADVISOR_TEST_PYTHON}" "${first_python}" /usr/bin/python3)
    if(candidate AND NOT found)
      execute_process(COMMAND ${candidate} -c "import importlib.util, sys; sys.exit(importlib.util.find_spec('torch') is None)"
                      RESULT_VARIABLE no_torch OUTPUT_QUIET ERROR_QUIET)
      if(no_torch EQUAL 0)
        set(found "${candidate}")
      endif()
    endif()
  endforeach()
  if(NOT found AND first_python)
    set(found "${first_python}")
  endif()
  set(${variable} "${found}" PARENT_SCOPE)
endfunction()
