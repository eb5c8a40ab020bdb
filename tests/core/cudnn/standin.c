/* What the tests of the search order load in place of cuDNN. */
int rnnadvisor_standin_answer(void) { return 42; }
