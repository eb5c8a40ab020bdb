"""Stands in for scikit-learn's metrics: the accuracy; reports are empty."""


def accuracy_score(true, predicted):
    return float((true == predicted).sum()) / len(true)


def classification_report(*arguments, **options):
    return ""


confusion_matrix = classification_report
