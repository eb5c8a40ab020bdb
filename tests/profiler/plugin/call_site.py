"""Calls cuDNN's stand-in as Python programs do; one mode each, named on the command line."""
import ctypes
import gc
import os
import sys
import threading
import time

FOLDER = os.environ["STANDIN_FOLDER"]


def load(keeps_lock):
    kind = ctypes.PyDLL if keeps_lock else ctypes.CDLL
    return kind(os.path.join(FOLDER, "libcudnn.so.9"))


class Rnn:
    def __init__(self, library, hidden=64):
        self.library = library
        self.handle, self.rnn = ctypes.c_void_p(), ctypes.c_void_p()
        self.x, self.h = ctypes.c_void_p(), ctypes.c_void_p()
        library.cudnnCreate(ctypes.byref(self.handle))
        library.cudnnCreateRNNDescriptor(ctypes.byref(self.rnn))
        library.cudnnCreateRNNDataDescriptor(ctypes.byref(self.x))
        library.cudnnCreateTensorDescriptor(ctypes.byref(self.h))
        lengths, sizes = (ctypes.c_int * 2)(5, 5), (ctypes.c_int * 3)(1, 2, hidden)
        library.cudnnSetRNNDescriptor_v8(self.rnn, 0, 2, 2, 0, 0, 0, 0, 0, 8, hidden, hidden, 1, None, 0)
        library.cudnnSetRNNDataDescriptor(self.x, 0, 0, 5, 2, 8, lengths, None)
        library.cudnnSetTensorNdDescriptor(self.h, 0, 3, sizes, (ctypes.c_int * 3)(2 * hidden, hidden, 1))

    def forward(self):
        n, size = None, ctypes.c_size_t(0)
        return self.library.cudnnRNNForward(  # the line that is looked for: CALL
            self.handle, self.rnn, 0, n, self.x, n, self.x, n, self.h, n, n, self.h, n, n, size, n, size, n, size, n)


def from_here(rnn):
    rnn.forward()  # CALLER
    try:
        raise KeyError("kept")
    except KeyError:
        rnn.forward()  # while an exception is handled


def sites(keeps_lock):
    rnn = Rnn(load(keeps_lock))
    from_here(rnn)
    thread = threading.Thread(target=from_here, args=(rnn,))
    thread.start()
    thread.join()


def contended(keeps_lock):
    """Other threads want the interpreter's lock all the time."""
    stop = False

    def spin():
        while not stop:
            sum(range(100))

    spinners = [threading.Thread(target=spin) for _ in range(3)]
    for one in spinners:
        one.start()
    library = load(keeps_lock)

    def calls():
        rnn = Rnn(library)
        for _ in range(100):
            assert rnn.forward() == 0

    callers = [threading.Thread(target=calls) for _ in range(2)]
    for one in callers:
        one.start()
    for one in callers:
        one.join()
    stop = True
    for one in spinners:
        one.join()


def shutdown(keeps_lock):
    """Threads that still call while the interpreter ends."""
    library = load(keeps_lock)

    def calls():
        rnn = Rnn(library)
        while True:
            rnn.forward()

    for _ in range(3):
        threading.Thread(target=calls, daemon=True).start()
    time.sleep(0.05)
    sys.exit(6)


def collected(keeps_lock):
    """What is destroyed calls cuDNN itself: in the middle of another call it would not be seen."""
    rnn = Rnn(load(keeps_lock))

    class Cycle:
        def __init__(self):
            self.self = self

        def __del__(self):
            rnn.forward()

    gc.set_threshold(1, 1, 1)
    for _ in range(300):
        Cycle()
        rnn.forward()
    gc.set_threshold(0)
    rnn.library.standin_calls.restype = ctypes.c_ulonglong
    print(rnn.library.standin_calls(), gc.isenabled())


def interpreters(keeps_lock):
    """From a sub-interpreter, which the interface for locks knows nothing of."""
    import _xxsubinterpreters as sub

    one = sub.create()
    sub.run_string(one, f"""
import sys
sys.argv = ["call_site.py"]
import importlib.util
spec = importlib.util.spec_from_file_location("call_site", {__file__!r})
module = importlib.util.module_from_spec(spec)
spec.loader.exec_module(module)
rnn = module.Rnn(module.load({keeps_lock}))
for _ in range(3):
    assert rnn.forward() == 0
""")
    rnn = Rnn(load(keeps_lock))
    assert rnn.forward() == 0


def foreign_thread(keeps_lock):
    """A thread that Python does not know calls, as an executor's does."""
    rnn = Rnn(load(keeps_lock))
    user = ctypes.CDLL(os.path.join(FOLDER, "librnn_user.so"))
    assert user.rnn_user_forward_on_a_thread(rnn.handle, rnn.rnn, rnn.x, rnn.h) == 0
    assert rnn.forward() == 0


if __name__ == "__main__":
    globals()[sys.argv[1]](sys.argv[2] == "keeps")
