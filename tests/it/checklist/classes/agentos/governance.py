"""Decides on declared needs."""


class Approval:
    def __init__(self, granted):
        self.granted = granted


def approve(declaration):
    return Approval(declaration["phase"] == "execution")
