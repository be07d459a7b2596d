"""Which way is up: the direction of well-known metrics."""

import re

from bayescmp.errors import ScoresError

HIGHER = frozenset(
    "accuracy acc balanced_accuracy auc roc_auc auroc pr_auc auprc average_precision ap map f1 f1_macro f1_micro "
    "f1_weighted precision recall sensitivity specificity tpr tnr kappa cohen_kappa mcc matthews_corrcoef gmean "
    "g_mean jaccard iou dice ndcg mrr hit_rate r2 explained_variance correlation bleu rouge exact_match em reward "
    "return success_rate win_rate throughput silhouette log_likelihood pass_at_1".split()
)
LOWER = frozenset(
    "error error_rate err misclassification zero_one_loss loss log_loss logloss cross_entropy nll nlpd brier "
    "brier_score rmse mse mae mape smape msle rmsle max_error perplexity ppl bits_per_byte wer cer ter fpr fnr eer "
    "time fit_time score_time runtime latency seconds duration memory cost regret n_parameters parameters size".split()
)
"""Metric names after lower-casing; `test_`, `val_` and the like in front are ignored; `neg_` means higher."""


def higher_is_better(metric: str | None, given: bool | None) -> bool:
    """The direction: as given, else that of a known metric; an unknown metric name needs it given."""
    if given is not None:
        return bool(given)
    if metric is None:
        return True
    name = re.sub(r"[^a-z0-9]+", "_", str(metric).lower()).strip("_")
    name = re.sub(r"^((mean|test|val|valid|validation|eval|score|cv)_)+(?=.)", "", name)
    if name.startswith("neg_") or name in HIGHER:
        return True
    if name in LOWER:
        return False
    raise ScoresError(
        f'The direction of the metric "{metric}" is not known. Say higher_is_better=True or higher_is_better=False.'
    )
