"""PRPF's structured reward for TRL and verl: asks the reward service, `prpf serve --gold … --pool …`, and changes nothing in its answers.

TRL calls `structured_reward` with a batch, verl calls `compute_score` for each response. $PRPF_REWARD_URL says where the service is
(http://127.0.0.1:8080), $PRPF_API_KEY is the key if it asks for one. Nothing but Python's own library is needed here.

A response that is not well formed has a low reward, as in training with prpf. A service that is busy or away is asked again, five times in
all; whatever else fails ends the trainer with the service's own message: a reward that is made up would train a wrong model. Beside an
export's files it also refuses a service with another pool, other constants or another form of responses than the export's.
"""
import http.client
import json
import os
import pathlib
import time
import urllib.error
import urllib.parse
import urllib.request

TERMS = ("trig", "func", "args", "schema", "tn", "fp", "cov", "over")
TRIES, SECONDS, TOGETHER = 5, 60, 256
BUSY = (429, 502, 503, 504)
EXPORT = pathlib.Path(__file__).resolve().parent / "export.json"


def ask(items):
    """The rewards of [{"id", "response"}], in order."""
    parts = [items[i:i + TOGETHER] for i in range(0, len(items), TOGETHER)]
    return [reward for part in parts for reward in _post(part)]


def _post(items):
    url = os.environ.get("PRPF_REWARD_URL", "http://127.0.0.1:8080").rstrip("/") + "/v1/reward"
    key = os.environ.get("PRPF_API_KEY")
    headers = {"Content-Type": "application/json", **({"Authorization": "Bearer " + key} if key else {})}
    request = urllib.request.Request(url, json.dumps({"items": items}).encode("ascii"), headers)
    for tried in range(TRIES):
        try:
            with _opener(url).open(request, timeout=SECONDS) as answer:
                _require_export(url, answer.headers["X-Reward-Config"])
                return json.load(answer)["items"]
        except urllib.error.HTTPError as refusal:
            failure = f"{url} answered {refusal.code}: {refusal.read().decode('utf-8', 'replace')[:2000]}"
            if refusal.code not in BUSY:
                break
        except (OSError, http.client.HTTPException) as error:
            failure = f"{url} cannot be asked{_proxied(url)}: {error}; start `prpf serve`, or set PRPF_REWARD_URL"
        if tried + 1 < TRIES:
            time.sleep(2 ** tried)
    raise RuntimeError(failure)


def _proxies(url):
    """The proxy of the environment, never for this machine itself."""
    host = urllib.parse.urlsplit(url).hostname or ""
    local = host in ("localhost", "::1") or host.startswith("127.")
    return {} if local or urllib.request.proxy_bypass(host) else urllib.request.getproxies()


def _opener(url):
    return urllib.request.build_opener(urllib.request.ProxyHandler(_proxies(url)))


def _proxied(url):
    proxy = _proxies(url).get(urllib.parse.urlsplit(url).scheme)
    return f" through the proxy {proxy} (no_proxy excludes hosts)" if proxy else ""


def _require_export(url, config):
    expected = json.loads(EXPORT.read_text(encoding="utf-8"))["reward"] if EXPORT.exists() else config
    if config != expected:
        raise RuntimeError(f"{url} rewards by {config}, this export by {expected}: start it with this folder's gold.json, "
                           "function_pool.json, reward.yaml and the reasoning of export.json")


def _text(completion):
    if isinstance(completion, str):
        return completion
    if len(completion) != 1 or completion[0]["role"] != "assistant":
        raise ValueError(f"a completion must be one assistant message, is {completion!r}")
    return completion[0]["content"]


def _item(ground_truth, completion):
    return {"id": json.loads(ground_truth)["id"], "response": _text(completion)}


def structured_reward(prompts, completions, ground_truth, log_metric=None, **columns):
    """TRL: `reward_funcs: [prpf_reward.structured_reward]`. The totals; means of the terms go to the metrics."""
    rewards = ask([_item(truth, said) for truth, said in zip(ground_truth, completions, strict=True)])
    if log_metric is not None and rewards:
        for term in TERMS:
            log_metric(f"terms/{term}", sum(reward["terms"][term] for reward in rewards) / len(rewards))
        log_metric("terms/malformed", sum(reward["quadrant"] is None for reward in rewards) / len(rewards))
    return [reward["total"] for reward in rewards]


def compute_score(data_source, solution_str, ground_truth, extra_info=None, **settings):
    """verl: `reward.custom_reward_function.path`. The total as `score`, the terms beside it."""
    if data_source != "prpf":
        raise ValueError(f"data_source = {data_source!r}, this function rewards sets of prpf data export: prpf")
    reward = ask([_item(ground_truth, solution_str)])[0]
    terms = {f"terms/{term}": reward["terms"][term] for term in TERMS}
    return {"score": reward["total"], **terms, "malformed": float(reward["quadrant"] is None)}
