"""What the mixture of `eval suite contextagent`, `knowu` and `proactivebench` was chosen on: areas under the ROC curve and F1 on inner folds
alone. No gate here is ever scored on an outer fold.

    python mixture_inner.py texts DATA > texts.json
    for e in bge-small-en-v1.5 e5-small-v2 all-minilm-l6-v2 bge-small-zh-v1.5; do
        PRPF_PROFILE=cpu,encoders ./prpf data encode --texts texts.json --text-encoder $e --out vectors/$e.safetensors; done
    python mixture_inner.py score DATA texts.json vectors

DATA holds cab_train.json, user_logs and reward_data at any depth. Needs numpy, scipy, scikit-learn and safetensors; takes a minute.
"""
import itertools
import json
import pathlib
import re
import sys

import numpy as np
from scipy.special import expit
from sklearn.feature_extraction.text import CountVectorizer, TfidfVectorizer
from sklearn.metrics import roc_auc_score

ENGLISH = ("bge-small-en-v1.5", "e5-small-v2", "all-minilm-l6-v2")
STRENGTHS = (0.1, 0.3, 1, 3, 10, 30)
BLOCKS = {
    "phone": lambda p: [p["context"][0]],
    "world": lambda p: [p["context"][1]],
    "last": lambda p: p["events"][-1:],
    "mean": lambda p: p["events"],
}


class JavaRandom:
    def __init__(self, seed):
        self.state = (seed ^ 0x5DEECE66D) & ((1 << 48) - 1)

    def below(self, bound):
        while True:
            self.state = (self.state * 0x5DEECE66D + 0xB) & ((1 << 48) - 1)
            bits = self.state >> 17
            if bound & (bound - 1) == 0:
                return (bound * bits) >> 31
            if bits - bits % bound + bound - 1 < 1 << 31:
                return bits % bound


def positions(keys, of):
    places = {}
    for i in of:
        places.setdefault(keys[i], []).append(i)
    return list(places.values())


def assign(keys, of, folds):
    """As NestedFolds assigns keys to folds."""
    groups, random = positions(keys, of), JavaRandom(42)
    for i in range(len(groups), 1, -1):
        j = random.below(i)
        groups[i - 1], groups[j] = groups[j], groups[i - 1]
    groups.sort(key=lambda group: -len(group))
    assigned = [[] for _ in range(folds)]
    for group in groups:
        min(assigned, key=len).extend(group)
    return [np.array(sorted(fold)) for fold in assigned]


def near_duplicates(texts):
    sets = [set(w for w in re.split(r"[\W_]+", t.lower()) if w) for t in texts]
    group = list(range(len(sets)))
    for i in range(len(sets)):
        for j in range(i):
            if group[i] != group[j] and len(sets[i] & sets[j]) >= 0.8 * len(sets[i] | sets[j]):
                least, both = min(group[i], group[j]), (group[i], group[j])
                group = [least if g in both else g for g in group]
    return group


class Suite:
    """points: context (phone, world), events, label; splits: (positions held out, inner folds)."""

    def __init__(self, name, points, splits):
        self.name, self.points, self.splits = name, points, splits
        self.due = np.array([p["due"] for p in points])
        self.words = ["\n".join(t for t in (*p["context"], p["events"][-1]) if t.strip()) for p in points]

    def inner(self, train):
        """Scores of each split's inner points for each variant of a gate: train(training, held) gives (variants, held)."""
        rows = []
        for held, folds in self.splits:
            row = None
            for fold in folds:
                out = np.concatenate([held, fold])
                scores = np.array(train(np.setdiff1d(np.arange(len(self.due)), out), fold))
                row = np.full((len(scores), len(self.due)), np.nan) if row is None else row
                row[:, fold] = scores
            rows.append(row)
        return rows

    def best(self, rows):
        """The variant of least class-balanced log loss on each split's inner points."""
        return [row[np.argmin([self.loss(scores) for scores in row])] for row in rows]

    def loss(self, scores):
        seen = ~np.isnan(scores)
        due = self.due[seen]
        return (costs(due) * np.logaddexp(0, np.where(due, -1, 1) * scores[seen])).mean()

    def area(self, rows):
        return np.mean([roc_auc_score(self.due[~np.isnan(r)], r[~np.isnan(r)]) for r in rows])

    def f1(self, rows):
        """At the threshold of the highest F1 on the other inner folds."""
        return np.mean([self.decided(row, folds, highest_f1)[0] for row, (_, folds) in zip(rows, self.splits)])

    def within(self, rows, ftr):
        """F1 and false-trigger rate at the threshold of the most recall with at most that rate on the other inner folds."""
        rule = lambda scores, due: most_recall(scores, due, ftr)
        return np.mean([self.decided(row, folds, rule) for row, (_, folds) in zip(rows, self.splits)], 0)

    def decided(self, row, folds, rule):
        triggered = np.zeros(len(self.due), bool)
        for fold in folds:
            others = np.setdiff1d(np.concatenate(folds), fold)
            triggered[fold] = row[fold] >= rule(row[others], self.due[others])
        at = np.concatenate(folds)
        hits, false = (triggered & self.due)[at].sum(), (triggered & ~self.due)[at].sum()
        return 200 * hits / (triggered[at].sum() + self.due[at].sum()), 100 * false / (~self.due[at]).sum()


def highest_f1(scores, due):
    order = np.argsort(-scores, kind="stable")
    return scores[order][np.argmax(2 * np.cumsum(due[order]) / (np.arange(1, len(due) + 1) + due.sum()))]


def most_recall(scores, due, ftr):
    allowed = [t for t in np.unique(scores) if 100 * (scores[~due] >= t).mean() <= ftr]
    return min(allowed, default=np.inf)


def suites(data):
    find = lambda name: next(pathlib.Path(data).rglob(name))
    joined = lambda text: text if isinstance(text, str) else " ".join(text)
    records = json.loads(find("cab_train.json").read_text()).values()
    points = [dict(context=[joined(r["Mobile api data"]), r["Audio"]], events=[joined(r["Vision"])],
                   due=r["Proactive score"] >= 3) for r in records]
    groups = near_duplicates([p["events"][0] + " " + p["context"][1] + " " + p["context"][0] for p in points])
    folds = sorted(assign(groups, range(len(points)), 5), key=min)
    yield Suite("contextagent", points, [(f, [g for g in folds if g is not f]) for f in folds])
    points, keys, splits = [], [], []
    for persona in ("student", "user"):
        log = json.loads(find(persona + "_noise_25pct.json").read_text())
        for i, event in enumerate(log):
            points.append(dict(context=["", ""], events=[joined(e["action"]) for e in log[:i + 1]], persona=persona,
                               due=event["label"] == "signal"))
            keys.append(persona + "/" + event["category"])
    for held in positions([p["persona"] for p in points], range(len(points))):
        rest = [i for i in range(len(points)) if i not in set(held)]
        splits.append((np.array(held), assign(keys, rest, 5)))
    yield Suite("knowu", points, splits)
    moments = {}
    for name in ("train_data.jsonl", "test_data.jsonl"):
        for line in find(name).read_text().splitlines():
            row = json.loads(line)
            moments.setdefault(tuple((o["time"], o["event"]) for o in row["obs"]), row["help_needed"])
    recorded = {events: due for events, due in moments.items() if not events[0][0].startswith("Day")}
    points = [dict(context=["", ""], events=[e for _, e in events], due=due) for events, due in recorded.items()]
    traces = positions([events[0] for events in recorded], range(len(points)))
    parts = [np.concatenate(traces[p * len(traces) // 6:(p + 1) * len(traces) // 6]) for p in range(6)]
    yield Suite("proactivebench", points, [(f, [g for g in parts if g is not f]) for f in parts])


def costs(due):
    return np.where(due, len(due) / (2 * due.sum()), len(due) / (2 * (~due).sum()))


def regression(gram, between, due, strengths):
    """Log-odds for each strength by logistic regression on rows known by their products alone; scikit-learn's balanced objective."""
    values, vectors = np.linalg.eigh(gram)
    kept = values > 1e-9 * values[-1]
    rows = np.hstack([vectors[:, kept] * np.sqrt(values[kept]), np.ones((len(due), 1))])
    ridge, sign, scores = np.append(np.ones(kept.sum()), 1e-12), np.where(due, 1.0, -1.0), []
    for strength in strengths:
        cost, w = strength * costs(due), np.zeros(rows.shape[1])
        value = lambda w: 0.5 * w[:-1] @ w[:-1] + (cost * np.logaddexp(0, -sign * (rows @ w))).sum()
        for _ in range(60):
            pull = cost * sign * expit(-sign * (rows @ w))
            gradient = ridge * w - rows.T @ pull
            gradient[-1] = -pull.sum()
            if np.linalg.norm(gradient) < 1e-6:
                break
            curvature = cost * expit(rows @ w) * expit(-(rows @ w))
            step = np.linalg.solve((rows.T * curvature) @ rows + np.diag(ridge), -gradient)
            length = 1.0
            while length > 1e-8 and value(w + length * step) > value(w) + 1e-4 * length * gradient @ step:
                length /= 2
            w = w + length * step
        scores.append(between @ (cost * sign * expit(-sign * (rows @ w))) + w[-1])
    return scores


def blocks(suite, encoders, centre_all=True):
    """A gate on the blocks of some encoders; a blank text is 0 before centring (centre_all) or after it."""
    parts = []
    for vectors in encoders:
        for texts in BLOCKS.values():
            of = [[t for t in texts(p) if t.strip()] for p in suite.points]
            blank = np.zeros_like(next(iter(vectors.values())))
            rows = np.array([np.mean([vectors[t] for t in ts], 0) if ts else blank for ts in of], float)
            parts.append((rows, np.array([bool(ts) or centre_all for ts in of])))

    def train(training, held):
        gram, between = 0, 0
        for rows, there in parts:
            if not there[training].any():
                continue
            centred = (rows - rows[training][there[training]].mean(0)) * there[:, None]
            variance = (centred[training] ** 2).sum(1).mean()
            if variance > 1e-12:
                gram = gram + centred[training] @ centred[training].T / variance
                between = between + centred[held] @ centred[training].T / variance
        return regression(gram, between, suite.due[training], STRENGTHS)

    return suite.best(suite.inner(train))


def terms(text):
    units = re.findall(r"<num>|\w+", re.sub(r"\d+", "<num>", text.lower()))
    return units + [a + " " + b for a, b in zip(units, units[1:])]


def tf_idf(suite):
    def train(training, held):
        vectorizer = TfidfVectorizer(analyzer=terms, min_df=2, sublinear_tf=True)
        rows = vectorizer.fit_transform([suite.words[i] for i in training])
        scored = vectorizer.transform([suite.words[i] for i in held])
        return regression((rows @ rows.T).toarray(), (scored @ rows.T).toarray(), suite.due[training], (1,))

    return suite.best(suite.inner(train))


def naive_bayes(suite):
    def train(training, held):
        vectorizer, due = CountVectorizer(analyzer=terms, min_df=2, binary=True), suite.due[training]
        rows = vectorizer.fit_transform([suite.words[i] for i in training])
        with_, without = (np.asarray(rows[at].sum(0)).ravel() for at in (due, ~due))
        odds = np.log((with_ + 1) / (with_.sum() + len(with_))) - np.log((without + 1) / (without.sum() + len(with_)))
        return [vectorizer.transform([suite.words[i] for i in held]) @ odds]

    return suite.best(suite.inner(train))


def standard(row):
    return (row - np.nanmean(row)) / np.nanstd(row)


def equal(*gates):
    return [sum(standard(row) for row in rows) for rows in zip(*gates)]


def weighted(suite, *gates):
    """ScoreEnsemble.weighted, each inner fold mixed with weights of the others, so that no weight has seen what it is scored on."""
    choices, mixed = [np.array(c) for c in itertools.product((1, 0.5, 0), repeat=len(gates)) if any(c)], []
    for rows, (_, folds) in zip(zip(*gates), suite.splits):
        rows, row = np.stack([standard(r) for r in rows]), np.full(len(suite.due), np.nan)
        for fold in folds:
            others = np.setdiff1d(np.concatenate(folds), fold)
            best = max(choices, key=lambda c: roc_auc_score(suite.due[others], c @ rows[:, others]))
            row[fold] = best @ rows[:, fold] / best.sum()
        mixed.append(row)
    return mixed


def main():
    all_suites = list(suites(sys.argv[2]))
    if sys.argv[1] == "texts":
        texts = {t: 0 for s in all_suites for p in s.points for t in (*p["context"], *p["events"]) if t.strip()}
        json.dump(list(texts), sys.stdout, ensure_ascii=False)
        return
    from safetensors.numpy import load_file
    texts, of = json.load(open(sys.argv[3])), {}
    for path in pathlib.Path(sys.argv[4]).glob("*.safetensors"):
        of[path.stem] = dict(zip(texts, load_file(path)["embeddings"]))
    for suite in all_suites:
        words, bayes = tf_idf(suite), naive_bayes(suite)
        each = {name: blocks(suite, [of[name]]) for name in of}
        three, together = [each[name] for name in ENGLISH], blocks(suite, [of[name] for name in ENGLISH])
        gates = {"TF-IDF + LR": words, "naive Bayes": bayes, **{name + " + LR": gate for name, gate in each.items()},
                 "e5-small-v2 + LR, centred without blanks": blocks(suite, [of["e5-small-v2"]], False),
                 "all encoders + LR": together, "the four and TF-IDF, equal weights": equal(*three, together, words),
                 "the mixture: the four and TF-IDF, weighted": weighted(suite, *three, together, words),
                 "the mixture and naive Bayes": weighted(suite, *three, together, words, bayes)}
        for name, gate in gates.items():
            print(f"{suite.name}  AUC {suite.area(gate):.4f}  F1 {suite.f1(gate):5.2f}  within FTR 17: F1 %5.2f at %5.2f"
                  % tuple(suite.within(gate, 17)), f" {name}", flush=True)


if __name__ == "__main__":
    main()
