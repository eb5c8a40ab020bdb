# cmake --install and CPack; completed by packaging work.
