"""Which way is up: the direction of well-known metrics."""

import re
from functools import lru_cache

import numpy as np

from bayescmp.errors import ScoresError, few_words, shown

HIGHER = frozenset(
    "accuracy acc balanced_accuracy top_k_accuracy auc roc_auc auroc pr_auc auprc average_precision ap map f1 f1_macro "
    "f1_micro f1_weighted precision recall sensitivity specificity tpr tnr kappa cohen_kappa mcc matthews_corrcoef "
    "gmean g_mean jaccard iou dice ndcg mrr hit_rate r2 explained_variance correlation bleu rouge exact_match em "
    "correct right reward return success_rate win_rate throughput silhouette log_likelihood pass_at_1 "
    "acc_norm f1_score quasi_exact_match prefix_exact_match quasi_prefix_exact_match final_number_exact_match "
    "math_equiv math_equiv_chain_of_thought chain_of_thought_correctness rouge_1 rouge_2 rouge_l bleu_1 bleu_4".split()
)
LOWER = frozenset(
    "error error_rate err misclassification zero_one_loss loss log_loss logloss cross_entropy nll nlpd brier "
    "brier_score rmse mse mae mape smape msle rmsle max_error mean_squared_error root_mean_squared_error "
    "mean_absolute_error median_absolute_error mean_absolute_percentage_error mean_squared_log_error "
    "root_mean_squared_log_error mean_poisson_deviance mean_gamma_deviance perplexity ppl bits_per_byte wer cer ter "
    "fpr fnr eer time fit_time score_time runtime latency seconds duration memory cost regret n_parameters parameters "
    "size".split()
)
"""Metric names after lower-casing; `test_`, `val_` and the like in front are ignored; `neg_` turns lower to higher."""
SHARES = frozenset(
    "accuracy acc balanced_accuracy top_k_accuracy auc roc_auc auroc pr_auc auprc average_precision ap map f1 f1_macro "
    "f1_micro f1_weighted precision recall sensitivity specificity tpr tnr gmean g_mean jaccard iou dice ndcg mrr "
    "hit_rate exact_match em correct right success_rate win_rate pass_at_1 "
    "acc_norm f1_score quasi_exact_match prefix_exact_match quasi_prefix_exact_match final_number_exact_match "
    "math_equiv math_equiv_chain_of_thought chain_of_thought_correctness "
    "error error_rate err misclassification zero_one_loss fpr fnr eer".split()
)
"""Metrics between 0 and 1, which some people write in percent."""
UNBOUNDED = frozenset(
    "reward return throughput log_likelihood loss log_loss logloss cross_entropy nll nlpd rmse mse mae msle rmsle "
    "max_error mean_squared_error root_mean_squared_error mean_absolute_error median_absolute_error "
    "mean_squared_log_error root_mean_squared_log_error mean_poisson_deviance mean_gamma_deviance perplexity ppl "
    "bits_per_byte time fit_time score_time runtime latency seconds duration memory cost regret n_parameters "
    "parameters size".split()
)
"""Known metrics whose size depends on the dataset; all others are shares, rates and coefficients, the same on each."""


def is_known(metric: object) -> bool:
    """Whether the direction of a metric follows from its name."""
    return _known_direction(str(metric)) is not None


def is_bounded(metric: object) -> bool:
    """Whether the metric is, by its name, a share, a rate or a coefficient, whose unit is the same on every dataset."""
    return is_known(metric) and _known_name(str(metric)).removeprefix("neg_") not in UNBOUNDED


def check_metric(metric: object) -> None:
    """Raise if this is not a name."""
    if metric is not None and not isinstance(metric, str):
        raise ScoresError(f"`metric` must be a name, got {shown(metric)}.")


def higher_is_better(metric: str | None, given: bool | None) -> bool:
    """The direction: as given, else that of a known metric; an unknown name, or none, needs it given."""
    check_metric(metric)
    if given is not None:
        if not isinstance(given, (bool, np.bool_)):
            raise ScoresError(f"`higher_is_better` must be True or False, got {given!r}.")
        return bool(given)
    if metric is None:
        raise ScoresError(
            "Whether higher or lower scores are better is not known, because no metric is named. Give its name, such "
            'as metric="accuracy" or metric="rmse", or the direction, higher_is_better=True or higher_is_better=False.'
        )
    direction = _known_direction(metric)
    if direction is None:
        raise ScoresError(
            f'The direction of the metric "{few_words(metric)}" is not known. Give higher_is_better=True or '
            "higher_is_better=False."
        )
    return direction


def with_direction(metric: str | None, higher_is_better: bool, scale: str = "score") -> str:
    """The metric as every header has it: "rmse (lower is better)", "rmse (lower is better, log scale)"."""
    on = {"score": "", "ropes": ", differences in ropes"}.get(scale, f", {scale} scale")
    return f"{metric or 'score'} ({'higher' if higher_is_better else 'lower'} is better{on})"


@lru_cache(maxsize=256)
def _known_name(metric: str) -> str:
    """The name as the lists above have it; empty for "-rmse" and the like: negated or not, that is open."""
    name = re.sub(r"[^a-z0-9]+", "_", str(metric).lower().strip())
    if name.startswith("_"):
        return ""
    name = re.sub(r"^((mean|test|val|valid|validation|eval|score|cv)_)+(?=.)", "", name.strip("_"))
    return "mean_" + name if "mean_" + name in LOWER else name


def is_share(metric: str | None) -> bool:
    """Whether a metric is known to be between 0 and 1, or between 0 and 100 in percent."""
    return metric is not None and _known_name(metric) in SHARES


def _known_direction(metric: str) -> bool | None:
    name = _known_name(metric)
    if name.startswith("neg_"):
        return True if _known_direction(name.removeprefix("neg_")) is False else None
    return True if name in HIGHER else False if name in LOWER else None
