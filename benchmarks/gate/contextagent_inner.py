"""What the choices for `eval suite contextagent` were made on: areas under the ROC curve on inner folds alone, for gates in
scikit-learn and for a perceiver like ours in PyTorch. No gate here is ever scored on a fold by a model of the other four.

    python contextagent_inner.py texts cab_train.json > texts.json
    ./prpf data encode --texts texts.json --out vectors.safetensors
    python contextagent_inner.py score cab_train.json texts.json vectors.safetensors < settings.txt

A line of settings.txt is one perceiver, as `lr=1e-3, epochs=10, seeds=6, scale=22.6`; see perceiver() for the keys. Needs numpy, torch,
scikit-learn and safetensors.
"""
import json
import math
import re
import sys

import numpy as np
import torch
from torch import nn
from torch.nn import functional as F

from mixture_inner import JavaRandom, near_duplicates, terms

FIELDS = ("Vision", "Mobile api data", "Audio")
WIDTH, FOLDS, SEED = 512, 5, 42
SENTENCE = re.compile(r"(?<=[.!?;])\s+|\n")
CLAUSE = re.compile(r"(?<=[,:])\s+|\s+(?=and\b|with\b|while\b)")


def whole(text):
    return [text] if text.strip() else []


def sentences(text):
    return [part.strip() for part in SENTENCE.split(text) if part.strip()]


def clauses(text):
    return [part.strip() for one in sentences(text) for part in CLAUSE.split(one) if part.strip()]


UNITS = {"whole": (whole, 1), "sentences": (sentences, 6), "clauses": (clauses, 10)}


class Records:
    """The released records: words, label, and folds dealt as NestedFolds deals them."""

    def __init__(self, path):
        rows = list(json.load(open(path)).values())
        self.texts = [[r[f] if isinstance(r[f], str) else " ".join(r[f]) for f in FIELDS] for r in rows]
        self.score = np.array([r["Proactive score"] for r in rows])
        self.due = self.score >= 3
        self.words = ["\n".join(t for t in (phone, audio, vision) if t.strip()) for vision, phone, audio in self.texts]
        self.folds = deal(near_duplicates(self.words))
        pairs = [(a, b) for a in range(FOLDS) for b in range(a)]
        self.pairs = pairs
        self.training = [np.sort(np.concatenate([self.folds[k] for k in range(FOLDS) if k not in p])) for p in pairs]
        self.held = [np.concatenate([self.folds[a], self.folds[b]]) for a, b in pairs]

    def inner(self, scores):
        """Row p: scores of the points outside fold p, by models that saw neither their fold nor p. scores: one array a pair."""
        rows = np.full((FOLDS, len(self.due)), np.nan)
        for (a, b), values in zip(self.pairs, scores):
            n = len(self.folds[a])
            rows[b, self.folds[a]], rows[a, self.folds[b]] = values[:n], values[n:]
        return rows

    def areas(self, rows):
        """One for each fold held out, of whose labels it knows none."""
        from sklearn.metrics import roc_auc_score
        seen = [~np.isnan(row) for row in rows]
        return [roc_auc_score(self.due[at], row[at]) for row, at in zip(rows, seen)]

    def area(self, rows):
        """Mean over the folds held out."""
        return np.mean(self.areas(rows))


def deal(groups):
    places = {}
    for position, group in enumerate(groups):
        places.setdefault(group, []).append(position)
    dealt, random = list(places.values()), JavaRandom(SEED)
    for i in range(len(dealt), 1, -1):  # java.util.Collections.shuffle
        j = random.below(i)
        dealt[i - 1], dealt[j] = dealt[j], dealt[i - 1]
    dealt.sort(key=lambda places: -len(places))
    folds = [[] for _ in range(FOLDS)]
    for group in dealt:
        min(folds, key=len).extend(group)
    return [np.array(sorted(fold)) for fold in folds]


def regression(rows, due, c):
    from sklearn.linear_model import LogisticRegression
    return LogisticRegression(C=c, class_weight="balanced", max_iter=2000, tol=1e-7).fit(rows, due)


def tf_idf(records, train, held):
    from sklearn.feature_extraction.text import TfidfVectorizer
    vectorizer = TfidfVectorizer(analyzer=terms, min_df=2, sublinear_tf=True)
    model = regression(vectorizer.fit_transform([records.words[i] for i in train]), records.due[train], 1)
    return model.decision_function(vectorizer.transform([records.words[i] for i in held]))


def naive_bayes(records, train, held):
    from sklearn.feature_extraction.text import CountVectorizer
    vectorizer, due = CountVectorizer(analyzer=terms, min_df=2, binary=True), records.due[train]
    rows = vectorizer.fit_transform([records.words[i] for i in train])
    with_, without = (np.asarray(rows[at].sum(0)).ravel() for at in (due, ~due))
    odds = np.log((with_ + 1) / (with_.sum() + len(with_))) - np.log((without + 1) / (without.sum() + len(with_)))
    return vectorizer.transform([records.words[i] for i in held]) @ odds


class Perceiver(nn.Module):
    """PRPF's network with post-norm layers without gain and bias, one layer a channel, a trigger head and an auxiliary one."""

    def __init__(self, d, steps, dropout, outputs):
        super().__init__()
        uniform = lambda *size, bound: nn.Parameter((torch.rand(*size) * 2 - 1) * bound)
        layer = lambda: nn.ModuleDict(
            dict(qkv=nn.Linear(d, 3 * d), out=nn.Linear(d, d), up=nn.Linear(d, 2 * d), down=nn.Linear(2 * d, d)))
        cross = lambda: nn.ModuleDict(dict(q=nn.Linear(d, d), kv=nn.Linear(d, 2 * d), out=nn.Linear(d, d)))
        head = lambda n: nn.Sequential(nn.Linear(2 * d, d), nn.ReLU(), nn.Linear(d, n))
        self.d, self.dropout, self.recent = d, dropout, min(4, steps)
        self.context, self.frames, self.projection = nn.Linear(WIDTH, d), nn.Linear(WIDTH, d), nn.Linear(d, d)
        self.text_query, self.pool = nn.Parameter(torch.randn(3, WIDTH) * 0.04), uniform(WIDTH, bound=0.1)
        self.slow_at, self.fast_at = uniform(4, d, bound=0.02), uniform(self.recent, d, bound=0.02)
        self.slow, self.fast, self.slow_asks, self.fast_asks = layer(), layer(), cross(), cross()
        self.slow_read, self.fast_read = uniform(d, bound=0.1), uniform(d, bound=0.1)
        self.trigger, self.auxiliary = head(1), head(outputs)

    def attend(self, q, k, v, mask):
        heads = lambda x: x.view(x.shape[0], x.shape[1], 4, -1).transpose(1, 2)
        mask = None if mask is None else mask[:, None, None, :]
        x = F.scaled_dot_product_attention(heads(q), heads(k), heads(v), attn_mask=mask)
        return x.transpose(1, 2).reshape(q.shape)

    def encode(self, x, mask, layer):
        drop = lambda y: F.dropout(y, self.dropout, self.training)
        x = F.layer_norm(x + drop(layer["out"](self.attend(*layer["qkv"](x).chunk(3, -1), mask))), (self.d,))
        return F.layer_norm(x + drop(layer["down"](F.relu(layer["up"](x)))), (self.d,))

    def read(self, asks, x, other, mask, query, own):
        x = asks["out"](self.attend(asks["q"](x), *asks["kv"](other).chunk(2, -1), mask))
        weights = x @ query if own is None else (x @ query).masked_fill(~own, -1e9)
        return (weights.softmax(1)[:, :, None] * x).sum(1)

    def forward(self, context, seen, steps, there):
        weights = (torch.einsum("bjse,je->bjs", context, self.text_query)).masked_fill(~seen, -1e9).softmax(-1)
        frames = self.frames(steps)
        weights_of_steps = (steps @ self.pool).masked_fill(~there, -1e9).softmax(1)
        pooled = (weights_of_steps[:, :, None] * frames).sum(1, keepdim=True)
        texts = self.context(torch.einsum("bjs,bjse->bje", weights, context))
        slow = self.encode(torch.cat([texts, pooled], 1) + self.slow_at, None, self.slow)
        last = there[:, -self.recent:]
        fast = self.encode(self.projection(frames[:, -self.recent:]) + self.fast_at, last, self.fast)
        z = torch.cat([self.read(self.slow_asks, slow, fast, last, self.slow_read, None),
                       self.read(self.fast_asks, fast, slow, None, self.fast_read, last)], 1)
        z = F.dropout(z, self.dropout, self.training)
        return self.trigger(z)[:, 0], self.auxiliary(z)


def padded(units, most, vectors, at_end):
    values, mask = np.zeros((len(units), most, WIDTH), np.float32), np.zeros((len(units), most), bool)
    for row, parts in enumerate(units):
        parts = parts[-most:] if at_end else parts[:most]
        for i, text in enumerate(parts):
            place = most - len(parts) + i if at_end else i
            values[row, place], mask[row, place] = vectors[text], True
    return values, mask


def perceiver(records, vectors, unit="whole", d=64, dropout=0.3, lr=1e-3, decay=0.01, epochs=10, batch=32, seeds=2, scale=1.0,
              score_weight=0.0):
    """Inner scores. unit: what of a text has a vector; scale: of the vectors; score_weight: of the released score as a second target."""
    cut, most = UNITS[unit]
    texts = [padded([cut(t[at]) for t in records.texts], most, vectors, False) for at in (1, 2)]
    nothing = (np.zeros_like(texts[0][0]), np.zeros_like(texts[0][1]))
    context, seen = (np.stack([nothing[i], texts[0][i], texts[1][i]], 1) for i in (0, 1))
    steps, there = padded([cut(t[0]) for t in records.texts], most, vectors, True)
    due = torch.from_numpy(records.due.astype(np.float32))
    graded = torch.from_numpy(np.stack([records.score >= s for s in (2, 4, 5)], 1).astype(np.float32))
    scores = []
    for train, held in zip(records.training, records.held):
        mean_of = lambda x, mask, axes: (x[train] * mask[train][..., None]).sum(axes) / np.maximum(
            1, mask[train].sum(axes))[..., None]
        centre = lambda x, mask, mean: torch.from_numpy(((x - mean) * mask[..., None] * scale).astype(np.float32))
        inputs = [centre(context, seen, mean_of(context, seen, (0, 2))[:, None, :]), torch.from_numpy(seen),
                  centre(steps, there, mean_of(steps, there, (0, 1))), torch.from_numpy(there)]
        yes, no = train[records.due[train]], train[~records.due[train]]
        even = np.concatenate([train, np.resize(min(yes, no, key=len), abs(len(yes) - len(no)))])
        logits = 0
        for seed in range(seeds):
            torch.manual_seed(seed)
            random, net = np.random.RandomState(seed), Perceiver(d, most, dropout, 3)
            weights = [p for n, p in net.named_parameters() if n.endswith("weight")]
            others = [p for n, p in net.named_parameters() if not n.endswith("weight")]
            adam = torch.optim.AdamW([dict(params=weights, weight_decay=decay), dict(params=others, weight_decay=0)], lr=lr)
            for _ in range(epochs):
                order = random.permutation(even)
                for at in range(0, len(order) - batch + 1, batch):
                    rows = order[at:at + batch]
                    logit, grades = net(*[x[rows] for x in inputs])
                    loss = 0.5 * F.binary_cross_entropy_with_logits(logit, due[rows])
                    if score_weight:
                        loss = loss + score_weight * F.binary_cross_entropy_with_logits(grades, graded[rows])
                    adam.zero_grad()
                    loss.backward()
                    adam.step()
            net.eval()
            with torch.no_grad():
                logits = logits + net(*[x[held] for x in inputs])[0].numpy() / seeds
        scores.append(logits)
    return records.inner(scores)


def mixed(*gates):
    """Equal weights, each gate at mean 0 and deviation 1 on each row."""
    return sum(np.stack([(row - np.nanmean(row)) / np.nanstd(row) for row in gate]) for gate in gates)


def main():
    records = Records(sys.argv[2])
    parts = {p: None for t in records.texts for text in t for cut, _ in UNITS.values() for p in cut(text)}
    if sys.argv[1] == "texts":
        json.dump(list(parts), sys.stdout, ensure_ascii=False)
        return
    from safetensors.numpy import load_file
    vectors = dict(zip(json.load(open(sys.argv[3])), load_file(sys.argv[4])["embeddings"]))
    zero = np.zeros(WIDTH, np.float32)
    rows = np.stack([np.concatenate([vectors.get(t, zero) for t in texts]) for texts in records.texts])
    of = lambda gate: records.inner([gate(train, held) for train, held in zip(records.training, records.held)])
    linear = lambda c: of(lambda train, held: regression(rows[train], records.due[train], c).decision_function(rows[held]))
    words = of(lambda train, held: tf_idf(records, train, held))
    bayes = of(lambda train, held: naive_bayes(records, train, held))
    bge = linear(10)
    for name, gate in (("TF-IDF + LR", words), ("naive Bayes", bayes), ("BGE + LR", linear(1)), ("BGE + LR, C = 10", bge),
                       ("TF-IDF + LR, naive Bayes", mixed(words, bayes)), ("the three", mixed(words, bayes, bge))):
        each = " ".join(f"{area:.4f}" for area in records.areas(gate))
        print(f"{records.area(gate):.4f}  {name}  (without each fold: {each})", flush=True)
    for line in filter(str.strip, sys.stdin):
        gate = perceiver(records, vectors, **eval(f"dict({line})"))
        print(f"{records.area(gate):.4f}  with TF-IDF + LR and naive Bayes {records.area(mixed(gate, words, bayes)):.4f}, with the three"
              f" {records.area(mixed(gate, words, bayes, bge)):.4f}  {line.strip()}", flush=True)


if __name__ == "__main__":
    main()
