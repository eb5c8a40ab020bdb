"""What goes wrong, in the words of the protocol: what happened, where, and what to do."""

BAD_REQUEST, ENVIRONMENT = 2, 3  # exit statuses, as of the rnnadvisor command


class Problem(Exception):
    """Ends the program with one line of type "error"."""

    def __init__(self, what, where, remedy, status=BAD_REQUEST):
        super().__init__(what)
        self.what, self.where, self.remedy, self.status = what, where, remedy, status

    def line(self):
        return {"type": "error", "what": self.what, "where": self.where, "remedy": self.remedy, "status": self.status}


class NotApplicable(Exception):
    """A candidate that cannot be tried on this call; the others go on."""

    def __init__(self, what, remedy=""):
        super().__init__(what)
        self.what, self.remedy = what, remedy


def nearest(word, words):
    """", did you mean 'x'?", or nothing."""
    import difflib
    found = difflib.get_close_matches(str(word), list(words), 1)
    return "did you mean '{}'?".format(found[0]) if found else "one of " + ", ".join("'{}'".format(w) for w in words)
