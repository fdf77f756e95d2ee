"""Records, predictions and texts of any number, made of the few that `data synth` wrote: data.py FOLDER RECORDS TEXTS

Each record gets an id of its own, one in a thousand a defect; predictions answer four in five right. Everything is written twice: as one file,
and cut into files of a folder.
"""

import json
import pathlib
import sys

FILES = 8


def dump(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Both:
    """One file, and a folder of several."""

    def __init__(self, folder, name, count):
        (folder / name).mkdir()
        self.whole = open(folder / f"{name}.jsonl", "w", encoding="utf-8")
        self.parts = [open(folder / name / f"part-{i}.jsonl", "w", encoding="utf-8") for i in range(FILES)]
        self.share = -(-count // FILES)
        self.lines = 0

    def add(self, value):
        line = dump(value) + "\n"
        self.whole.write(line)
        self.parts[self.lines // self.share].write(line)
        self.lines += 1

    def close(self):
        for file in [self.whole, *self.parts]:
            file.close()


def main():
    folder, records, texts = pathlib.Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3])
    samples = json.load(open(folder / "synth/benchmark_zh.json", encoding="utf-8"))
    gold, predictions = Both(folder, "gold", records), Both(folder, "predictions", records)
    for i in range(records):
        sample = samples[i % len(samples)]
        sample["benchmark_metadata"]["id"] = f"r{i}"
        answers = sample["recommendations"]
        calls = [answer["functions"] for answer in answers][:1] if i % 5 else []
        if i % 1000 == 999:
            trace, sample["reference_information"]["trace"] = sample["reference_information"]["trace"], [" "]
            gold.add(sample)
            sample["reference_information"]["trace"] = trace
        else:
            gold.add(sample)
        predictions.add({"id": f"r{i}", "route": "reasoned", "p_trigger": 0.5, "scenarios": {}, "response": None, "calls": calls})
    gold.close()
    predictions.close()
    phrases = [text for s in samples for text in [s["reference_information"]["phone"], s["reference_information"]["world"]]]
    lines = Both(folder, "texts", max(texts, 1))
    made = [f"{phrases[i % len(phrases)]} {i}" for i in range(texts)]
    for text in made:
        lines.add(text)
    lines.close()
    (folder / "texts.json").write_text(dump(made), encoding="utf-8")


main()
