"""The pointer: scored as any model of masked examples is."""

from corefmill.coref_model.evaluation.masked import rows_of

__all__ = ["rows_of"]
