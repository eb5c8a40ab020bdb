"""Ends as Python programs do; one way each, named on the command line. A file may hold the message."""
import os
import sys
import threading

MESSAGE = open(sys.argv[2], encoding="utf-8").read() if len(sys.argv) > 2 else "input.size(-1) must be equal to input_size. Expected 10, got 12"


def train(message=MESSAGE):
    raise RuntimeError(message)  # hf_abcdefghijklmnopqrstuvwxyz012345 stands in the line that is printed


def error():
    train()


def on_a_gpu():
    import ctypes

    cuda = ctypes.CDLL(os.environ["STANDIN_FOLDER"] + "/libcuda.so.1")
    cuda.standin_new_context(0)
    train()


def chained():
    try:
        train("the first")
    except RuntimeError as first:
        raise ValueError("the second") from first


def secret():
    raise RuntimeError("can't log in: --token=hunter2secret, password=hunter3secret at https://me:hunter4secret@example.org hf_abcdefghijklmnopqrstuvwxyz012345")


def unprintable():
    class Unprintable(Exception):
        def __str__(self):
            raise KeyError("no text")

        __repr__ = __str__

    raise Unprintable


def exits_in_text():
    class Exits(Exception):
        def __str__(self):
            sys.exit(5)

    raise Exits


def surrogates():
    raise RuntimeError("a \udcff b\0c " + "é" * 10)


def long():
    raise RuntimeError("ä" * 200_000 + " end of it")


def many_lines():
    raise RuntimeError("\n".join(f"line {i}" for i in range(100_000)) + "\nthe last")


def deep():
    def down(n):
        return down(n + 1) + 1

    down(0)


def own_hook():
    sys.excepthook = lambda kind, value, trace: print("mine:", kind.__name__, value, file=sys.stderr)
    train()


def hook_exits():
    def hook(kind, value, trace):
        sys.stderr.flush()
        os._exit(9)

    sys.excepthook = hook
    train()


def forbids_imports():
    """An audit hook of the program that lets nothing be imported any more."""
    sys.modules.pop("traceback", None)

    def hook(event, arguments):
        if event == "import":
            raise ImportError("not now")

    sys.addaudithook(hook)
    train()


def no_traceback_module():
    sys.modules["traceback"] = None
    train()


def exits():
    sys.exit(7)


def exits_with_text():
    sys.exit("no data")


def interrupted():
    raise KeyboardInterrupt


def shown_only():
    """As an interactive interpreter: shown, and the program goes on."""
    import code

    code.InteractiveInterpreter().runsource("1 / 0")
    print("went on")


def in_thread():
    thread = threading.Thread(target=train)
    thread.start()
    thread.join()


def forked():
    pid = os.fork()
    if pid == 0:
        train("of the child")
    os.waitpid(pid, 0)
    train("of the parent")


if __name__ == "__main__":
    globals()[sys.argv[1]]()
