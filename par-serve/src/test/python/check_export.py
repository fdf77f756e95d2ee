"""Loads what `prpf data export` writes with the trainers' own code: rows, tokens, loss masks, launch files, rewards, and for TRL a step of each trainer.

    python3 -m venv venv && venv/bin/pip install torch trl==1.16.0 'transformers==5.23.0'          (trl)
    python3 -m venv venv && venv/bin/pip install llamafactory==0.9.5 'transformers==5.6.0'          (llama-factory)
    python3 -m venv venv && venv/bin/pip install verl==0.9.1 'transformers==5.9.0' hydra-core uvicorn fastapi     (verl)
    python3 -m venv venv && venv/bin/pip install torch 'transformers==5.24.0' datasets aiohttp sympy pylatexenc && venv/bin/pip install --no-deps openrlhf==0.11.2     (openrlhf)
    python3 -m venv venv && venv/bin/pip install torch ms-swift==4.6.0                               (ms-swift)
    venv/bin/python par-serve/src/test/python/check_export.py TRAINER ./prpf SET GOLD POOL MODEL [IMAGES]

With IMAGES, SET shows images that lie there, MODEL is a directory of `reasoner init --vision`, and TRAINER trl or llama-factory (pip install pillow torchvision too): rows, tokens with their placeholders, loss masks
and pixels are compared, and TRL takes a step. TRAINER is trl, llama-factory, verl, openrlhf or ms-swift; SET a set of `prpf data sft-set`, GOLD and POOL what it was made of, MODEL a directory of `reasoner init` whose
positions suffice for the set. Everything runs on the CPU. Leaves with 0 if all agree, else with the first that does not.
"""
import contextlib
import json
import os
import pathlib
import socket
import subprocess
import sys
import tempfile

os.environ.update(CUDA_VISIBLE_DEVICES="", HF_HUB_OFFLINE="1", TOKENIZERS_PARALLELISM="false", DISABLE_VERSION_CHECK="1")

LAUNCH = pathlib.Path(__file__).resolve().parents[4] / "configs" / "launch"


def same(what, seen, expected):
    if seen != expected:
        sys.exit(f"FAIL {what}: {seen!r:.600} is not {expected!r:.600}")
    print("ok  ", what)


def text(pieces):
    """Of what a record says, no `<|` is handed over (docs/EXPORT.md)."""
    return "".join(piece["text"] if piece["control"] else piece["text"].replace("<|", "< |") for piece in pieces)


def holds_control(record):
    return any("<|" in piece["text"] for piece in record["user"] + record["response"] if not piece["control"])


class Work:
    """The set as our trainers see it, and its exports."""

    def __init__(self, trainer, prpf, sft, gold, pool, model, *images, folder):
        self.trainer, self.prpf, self.sft, self.gold, self.pool, self.model = trainer, prpf, sft, gold, pool, model
        self.images = pathlib.Path(images[0]).resolve() if images else None
        self.folder = pathlib.Path(folder)
        self.records = [json.loads(line) for line in open(sft, encoding="utf-8")]

    def export(self, stage):
        out = self.folder / stage
        command = [self.prpf, "data", "export", "--to", self.trainer, "--set", self.sft, "--out", out, "--json"]
        if stage == "grpo":
            command += ["--gold", self.gold, "--pool", self.pool]
        if self.images:
            command += ["--images", self.images]
        summary = json.loads(subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout)
        same(f"{stage} export", (summary["records"], summary["rewritten"]), (len(self.records), sum(map(holds_control, self.records))))
        return out

    def prompts(self):
        """docs/RESPONSE.md's prompt of our own models, control tokens and all."""
        for record in self.records:
            system = f"<|im_start|>system\n{record['system']}<|im_end|>\n" if record["system"] else ""
            yield f"{system}<|im_start|>user\n{text(record['user'])}<|im_end|>\n<|im_start|>assistant\n"

    def responses(self):
        return [text(record["response"]) for record in self.records]

    def tokens(self, tokenizer):
        """Of each record: the prompt's tokens, and the response's with the end of its turn."""
        encode = lambda said: tokenizer(said, add_special_tokens=False)["input_ids"]
        return [(encode(p), encode(r + "<|im_end|>\n")) for p, r in zip(self.prompts(), self.responses())]

    def with_images(self, processor):
        """Of each record: the prompt's tokens with a placeholder for each of an image's, the response's, and what the model sees of the images, as the model's own processor has it."""
        from PIL import Image

        for record, prompt, response in zip(self.records, self.prompts(), self.responses()):
            images = [Image.open(self.images / path).convert("RGB") for path in record["images"]]
            seen = processor(text=[prompt], images=images or None, add_special_tokens=False)
            yield (list(seen["input_ids"][0]), processor.tokenizer(response + "<|im_end|>\n", add_special_tokens=False)["input_ids"],
                   seen.get("pixel_values"))

    def rewards(self, responses):
        """What `reasoner reward` gives a response of each record, by a file."""
        file = self.folder / "responses.jsonl"
        with open(file, "w", encoding="utf-8") as out:
            for record, response in zip(self.records, responses):
                print(json.dumps({"id": record["id"], "response": response}), file=out)
        reasoning = self.records[0]["prompt"]["reasoning"].lower()
        command = [self.prpf, "reasoner", "reward", "--gold", self.gold, "--pool", self.pool, "--responses", file, "--json"]
        said = subprocess.run(command + ["--reasoning", reasoning], check=True, stdout=subprocess.PIPE).stdout
        return [json.loads(line) for line in said.splitlines()]

    @contextlib.contextmanager
    def service(self, grpo):
        """The reward service of an export, where the reward function looks for it."""
        manifest = json.loads((grpo / "export.json").read_text(encoding="utf-8"))
        command = [self.prpf, "serve", "--port", "0", "--json", "--reasoning", manifest["reasoning"]]
        for option, name in (("--gold", "gold.json"), ("--pool", "function_pool.json"), ("--reward", "reward.yaml")):
            command += [option, grpo / name]
        with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
            os.environ["PRPF_REWARD_URL"] = json.loads(process.stdout.readline())["listening"]
            try:
                yield
            finally:
                process.terminate()

    def launched(self, name, program, **environment):
        """The arguments that a launch script gives a trainer's program, whose place a stand-in takes: it asks the reward service whether it is ready."""
        programs = self.folder / "programs"
        programs.mkdir(exist_ok=True)
        told = self.folder / "launched.json"
        stand_in = programs / program
        stand_in.write_text(f"#!{sys.executable}\nimport json, os, sys, urllib.request\nurl = os.environ.get('PRPF_REWARD_URL')\n"
                            f"ready = url and urllib.request.urlopen(url + '/ready').status\n"
                            f"json.dump([sys.argv[1:], ready], open({str(told)!r}, 'w'))\n")
        stand_in.chmod(0o755)
        environment = os.environ | {"PATH": f"{programs}:{os.environ['PATH']}", "PRPF": str(pathlib.Path(self.prpf).resolve())} | environment
        subprocess.run(["bash", LAUNCH / name], check=True, env=environment)
        arguments, ready = json.loads(told.read_text())
        same(f"{name} has the reward service beside it", ready, 200 if "EXPORT" in environment else None)
        return arguments

    def answers(self):
        """Right, silent, malformed and empty ones in turn."""
        kinds = ["", "<recommendations>[]</recommendations>", "oops <thinking>\n", ""]
        return [kinds[i % 4] if i % 4 else response for i, response in enumerate(self.responses())]


def check_trl(work):
    import torch
    from datasets import load_dataset
    from transformers import AutoModelForCausalLM, AutoTokenizer
    from trl import GRPOConfig, GRPOTrainer, ModelConfig, ScriptArguments, SFTConfig, SFTTrainer, TrlParser, DatasetMixtureConfig
    from trl.scripts.grpo import GRPOScriptArguments

    cpu = {"use_cpu": True, "bf16": False, "report_to": "none", "max_steps": 1, "logging_steps": 1, "save_strategy": "no"}
    tokenizer = AutoTokenizer.from_pretrained(work.model)
    sft = work.export("sft")
    os.environ["ACCELERATE_USE_CPU"] = "true"

    def launch(name, types, **more):
        command = ["--config", str(LAUNCH / name), "--use_cpu", "true", "--bf16", "false"]
        command += [item for key, value in more.items() for item in ("--" + key, str(value))]
        return TrlParser(types).parse_args_and_config(command, fail_with_unknown_args=True)

    script, args, model_args, _ = launch("trl-sft.yaml", (ScriptArguments, SFTConfig, ModelConfig, DatasetMixtureConfig))
    batch = (args.per_device_train_batch_size, args.gradient_accumulation_steps)
    same("trl-sft.yaml", (args.learning_rate, args.lr_scheduler_type, args.warmup_steps, args.num_train_epochs, batch),
         (1e-5, "cosine", 0.1, 5, (2, 2)))

    data = load_dataset(str(sft))
    same("SFT splits", list(data), ["train"])
    args = SFTConfig(output_dir=str(work.folder / "o"), max_length=8192, per_device_train_batch_size=2,
                     chat_template_path=str(sft / "chat_template.jinja"), eos_token="<|im_end|>", **cpu)
    trainer = SFTTrainer(model=AutoModelForCausalLM.from_pretrained(work.model, dtype=torch.float32), args=args,
                         train_dataset=data["train"], processing_class=tokenizer)
    expected = work.tokens(tokenizer)
    same("SFT rows", len(trainer.train_dataset), len(expected))
    same("SFT tokens", [list(row["input_ids"]) for row in trainer.train_dataset], [p + r for p, r in expected])
    same("SFT loss on the response", [list(row["labels"]) for row in trainer.train_dataset],
         [[-100] * len(p) + r for p, r in expected])
    loss = trainer.train().training_loss
    same("SFT step has a finite loss", loss == loss and 0 < loss < 20, True)

    grpo = work.export("grpo")
    script, args, model_args, _ = launch("trl-grpo.yaml", (GRPOScriptArguments, GRPOConfig, ModelConfig, DatasetMixtureConfig))
    same("trl-grpo.yaml", (args.learning_rate, args.beta, args.num_generations, args.num_train_epochs, args.loss_type,
                           args.per_device_train_batch_size * args.gradient_accumulation_steps * 8, script.reward_funcs),
         (5e-7, 0.05, 8, 1, "grpo", 32 * 8, ["prpf_reward.structured_reward"]))
    with work.service(grpo):
        check_trl_rewards(work, grpo, tokenizer, cpu)


def check_trl_rewards(work, grpo, tokenizer, cpu):
    import torch
    from datasets import load_dataset
    from transformers import AutoModelForCausalLM
    from trl import GRPOConfig, GRPOTrainer

    sys.path.insert(0, str(grpo))
    import prpf_reward

    data = load_dataset(str(grpo))["train"]
    answers = work.answers()
    metrics = {}
    seen = prpf_reward.structured_reward(data["prompt"], [[{"role": "assistant", "content": a}] for a in answers],
                                         ground_truth=data["ground_truth"], log_metric=metrics.__setitem__)
    expected = work.rewards(answers)
    same("GRPO rewards", seen, [line["total"] for line in expected])
    same("GRPO metrics", metrics["terms/malformed"], sum(line["quadrant"] is None for line in expected) / len(expected))
    same("GRPO rewards differ", len(set(seen)) > 2, True)
    same("GRPO prompts", [tokenizer.apply_chat_template(p, add_generation_prompt=True, tokenize=False) for p in data["prompt"]],
         list(work.prompts()))
    args = GRPOConfig(output_dir=str(work.folder / "g"), num_generations=2, per_device_train_batch_size=2, beta=0.05,
                      max_completion_length=16, loss_type="grpo", **cpu)
    trainer = GRPOTrainer(model=AutoModelForCausalLM.from_pretrained(work.model, dtype=torch.float32), args=args,
                          reward_funcs=prpf_reward.structured_reward, train_dataset=data, processing_class=tokenizer)
    trainer.train()
    logged = trainer.state.log_history[0]
    names = ("reward", "kl", "rewards/structured_reward/mean", "terms/schema", "terms/malformed")
    same("GRPO step logs rewards and terms", [name for name in names if name not in logged], [])
    try:
        prpf_reward.structured_reward([""], ["x"], ground_truth=['{"id": "nobody"}'])
    except RuntimeError as failure:
        same("a reward that fails says why", "no sample of the gold file" in str(failure), True)
    else:
        sys.exit("FAIL a sample that nobody knows was rewarded")


def same_imaged(work, processor, rows):
    """Compares rows of tokens, labels and pixels."""
    import numpy as np

    expected = list(work.with_images(processor))
    same("rows with and without images", sorted({pixels is None for _, _, pixels in expected}), [False, True])
    same("tokens", [list(ids) for ids, _, _ in rows], [p + r for p, r, _ in expected])
    same("loss on the response", [list(labels) for _, labels, _ in rows], [[-100] * len(p) + list(r) for p, r, _ in expected])
    for (_, _, seen), (_, _, pixels) in zip(rows, expected):
        if pixels is None:
            continue
        if np.shape(seen) != np.shape(pixels) or np.abs(np.asarray(seen) - np.asarray(pixels)).max() > 1e-6:
            sys.exit("FAIL pixels")
    print("ok   pixels")


def check_trl_images(work):
    import torch
    from datasets import load_dataset
    from transformers import AutoModelForImageTextToText, AutoProcessor
    from trl import SFTConfig, SFTTrainer
    from trl.trainer.sft_trainer import DataCollatorForVisionLanguageModeling

    out = work.export("sft")
    processor = AutoProcessor.from_pretrained(work.model)
    processor.chat_template = (out / "chat_template.jinja").read_text(encoding="utf-8")
    os.chdir(out)  # where its images' paths begin
    data = load_dataset(str(out))["train"]
    collator = DataCollatorForVisionLanguageModeling(processor, max_length=None, completion_only_loss=True)  # as SFTTrainer sets it
    batches = [collator([dict(row)]) for row in data]
    same_imaged(work, processor, [(batch["input_ids"][0].tolist(), batch["labels"][0].tolist(), batch.get("pixel_values"))
                                    for batch in batches])
    args = SFTConfig(output_dir=str(work.folder / "o"), max_length=None, per_device_train_batch_size=2, use_cpu=True, bf16=False,
                     report_to="none", max_steps=1, save_strategy="no", gradient_checkpointing=False)
    trainer = SFTTrainer(model=AutoModelForImageTextToText.from_pretrained(work.model, dtype=torch.float32), args=args,
                         train_dataset=data, processing_class=processor)
    loss = trainer.train().training_loss
    same("SFT step has a finite loss", loss == loss and 0 < loss < 20, True)
    os.chdir("/")

    grpo = work.export("grpo")
    os.chdir(grpo)
    from trl.data_utils import prepare_multimodal_messages

    rows = load_dataset(str(grpo))["train"]
    seen = []
    for row in rows:
        messages = prepare_multimodal_messages(row["prompt"], images=row["images"])
        seen.append(processor.apply_chat_template(messages, add_generation_prompt=True, tokenize=False))
    same("GRPO prompts", seen, list(work.prompts()))
    os.chdir("/")


def check_llama_factory_images(work):
    from llamafactory.data import get_dataset, get_template_and_fix_tokenizer
    from llamafactory.data.collator import MultiModalDataCollatorForSeq2Seq
    from llamafactory.hparams import get_train_args
    from llamafactory.model import load_tokenizer
    import yaml

    out = work.export("sft")
    launch = yaml.safe_load((LAUNCH / "llama-factory-sft.yaml").read_text(encoding="utf-8"))
    launch |= {"dataset_dir": str(out), "model_name_or_path": work.model, "output_dir": str(work.folder / "o"), "template": "qwen3_5_nothink",
               "bf16": False, "use_cpu": True, "overwrite_cache": True}
    model_args, data_args, training_args, _, _ = get_train_args(launch)
    tokenizer_module = load_tokenizer(model_args)
    template = get_template_and_fix_tokenizer(tokenizer_module["tokenizer"], data_args)
    data = get_dataset(template, model_args, data_args, training_args, stage="sft", **tokenizer_module)["train_dataset"]
    collator = MultiModalDataCollatorForSeq2Seq(template=template, model=None, label_pad_token_id=-100, **tokenizer_module)
    rows = []
    for row in data:
        pixels = collator([dict(row)]).get("pixel_values") if row["images"] else None
        rows.append((row["input_ids"], row["labels"], pixels))
    same_imaged(work, tokenizer_module["processor"], rows)


def check_llama_factory(work):
    from llamafactory.data import get_dataset, get_template_and_fix_tokenizer
    from llamafactory.hparams import get_train_args
    from llamafactory.model import load_tokenizer
    import yaml

    out = work.export("sft")
    launch = yaml.safe_load((LAUNCH / "llama-factory-sft.yaml").read_text(encoding="utf-8"))
    launch |= {"dataset_dir": str(out), "model_name_or_path": work.model, "output_dir": str(work.folder / "o"),
               "bf16": False, "use_cpu": True, "overwrite_cache": True}
    model_args, data_args, training_args, _, _ = get_train_args(launch)
    same("llama-factory-sft.yaml", (training_args.learning_rate, str(training_args.lr_scheduler_type.value), training_args.warmup_ratio,
                                    training_args.num_train_epochs, training_args.per_device_train_batch_size,
                                    training_args.gradient_accumulation_steps), (1e-5, "cosine", 0.1, 5, 2, 2))
    tokenizer_module = load_tokenizer(model_args)
    tokenizer = tokenizer_module["tokenizer"]
    template = get_template_and_fix_tokenizer(tokenizer, data_args)
    data = get_dataset(template, model_args, data_args, training_args, stage="sft", **tokenizer_module)["train_dataset"]
    expected = work.tokens(tokenizer)
    same("SFT rows", len(data), len(expected))
    same("SFT tokens", [list(row["input_ids"]) for row in data], [p + r for p, r in expected])
    same("SFT loss on the response", [list(row["labels"]) for row in data], [[-100] * len(p) + r for p, r in expected])
    source = (out / "chat_template.jinja").read_text(encoding="utf-8")
    messages = [json.loads(line)["messages"] for line in open(out / "train.jsonl", encoding="utf-8")]
    rendered = [tokenizer.apply_chat_template(m[:-1], chat_template=source, add_generation_prompt=True, tokenize=False) for m in messages]
    same("chat_template.jinja is its chatml", rendered, list(work.prompts()))


def check_verl(work):
    import asyncio

    import numpy as np
    import torch
    from omegaconf import OmegaConf
    from transformers import AutoTokenizer
    from verl import DataProto
    from verl.trainer.ppo.reward import load_reward_manager
    from verl.utils.dataset.multiturn_sft_dataset import MultiTurnSFTDataset
    from verl.utils.dataset.rl_dataset import RLHFDataset

    def launch(module, name):
        """The launch command itself, which with --cfg prints the configuration and runs nothing."""
        command = [sys.executable, "-m", module, "--config-dir", LAUNCH, "--config-name", name, "--cfg", "job"]
        said = subprocess.run(command, check=True, stdout=subprocess.PIPE).stdout.decode()
        return OmegaConf.create(said[said.index("\n", said.rindex("\n---")) if "\n---" in said else 0:])

    tokenizer = AutoTokenizer.from_pretrained(work.model)
    config = launch("verl.trainer.sft_trainer", "verl-sft")
    same("verl-sft.yaml", (config.optim.lr, config.optim.lr_scheduler_type, config.optim.lr_warmup_steps_ratio,
                           config.trainer.total_epochs, config.data.train_batch_size), (1e-5, "cosine", 0.1, 5, 32))
    sft = work.export("sft")
    subprocess.run([sys.executable, sft / "to_parquet.py"], check=True)
    data = MultiTurnSFTDataset(str(sft / "train.parquet"), tokenizer, config.data)
    expected = work.tokens(tokenizer)
    rows = [data[i] for i in range(len(data))]
    same("SFT tokens", [row["input_ids"].tolist() for row in rows], [p + r for p, r in expected])
    same("SFT loss on the response", [row["loss_mask"].tolist() for row in rows], [[0] * len(p) + [1] * len(r) for p, r in expected])

    config = launch("verl.trainer.main_ppo", "verl-grpo")
    actor = config.actor_rollout_ref.actor
    same("verl-grpo.yaml", (actor.optim.lr, actor.use_kl_loss, actor.kl_loss_coef, config.actor_rollout_ref.rollout.n,
                            config.data.train_batch_size, config.trainer.total_epochs, config.algorithm.adv_estimator),
         (5e-7, True, 0.05, 8, 32, 1, "grpo"))
    grpo = work.export("grpo")
    subprocess.run([sys.executable, grpo / "to_parquet.py", grpo], check=True)
    config.data.max_prompt_length = 8192
    config.data.cache_dir = str(work.folder / "cache")
    for suffix in ("jsonl", "parquet"):
        data = RLHFDataset(str(grpo / f"train.{suffix}"), tokenizer, config.data)
        rows = [data[i] for i in range(len(data))]
        seen = [tokenizer.apply_chat_template(list(row["raw_prompt"]), add_generation_prompt=True, tokenize=False) for row in rows]
        same(f"GRPO prompts of {suffix}", seen, list(work.prompts()))

    config.reward.custom_reward_function.path = str(grpo / "prpf_reward.py")
    manager = load_reward_manager(config, tokenizer)
    answers = work.answers()

    async def reward(row, answer):
        ids = torch.tensor([tokenizer(answer + "<|im_end|>", add_special_tokens=False)["input_ids"]])
        item = {key: np.array([row[key]], dtype=object) for key in ("data_source", "reward_model", "extra_info")}
        return await manager.run_single(DataProto.from_dict(
            tensors={"responses": ids, "attention_mask": torch.ones_like(ids)}, non_tensors=item))

    async def all_at_once():
        return await asyncio.gather(*(reward(row, answer) for row, answer in zip(rows, answers)))

    with work.service(grpo):
        seen = manager.loop.run_until_complete(all_at_once()) if hasattr(manager, "loop") else asyncio.run(all_at_once())
    expected = work.rewards(answers)
    same("GRPO rewards, many at once", [said["reward_score"] for said in seen], [line["total"] for line in expected])
    same("GRPO terms", [said["reward_extra_info"]["terms/args"] for said in seen], [line["terms"]["args"] for line in expected])


def openrlhf_arguments(program, given):
    """What OpenRLHF's program makes of its arguments: its own parser, without the imports of the rest (DeepSpeed, ray, vLLM)."""
    import argparse
    import textwrap
    from datetime import datetime
    from importlib.metadata import distribution

    source = pathlib.Path(distribution("openrlhf").locate_file(f"openrlhf/cli/{program}.py")).read_text(encoding="utf-8")
    parser = source[source.index("    parser = argparse.ArgumentParser()"):source.index("    args = parser.parse_args()")]
    scope = {"argparse": argparse, "datetime": datetime}
    exec(textwrap.dedent(parser), scope)
    from openrlhf.utils.config import hierarchize
    return hierarchize(scope["parser"].parse_args(given))


def check_openrlhf(work):
    import asyncio
    import types

    from openrlhf.datasets import PromptDataset, SFTDataset
    from openrlhf.datasets.utils import blending_datasets
    from transformers import AutoTokenizer

    def loaded(args, path):
        strategy = types.SimpleNamespace(args=args, is_rank_0=lambda: True, print=print)
        return blending_datasets(str(path), None, strategy, dataset_split="train"), strategy

    sft = work.export("sft")
    tokenizer = AutoTokenizer.from_pretrained(work.model)
    tokenizer.chat_template = (sft / "chat_template.jinja").read_text(encoding="utf-8")
    same("eos_token", tokenizer.eos_token, "<|im_end|>")
    args = openrlhf_arguments("train_sft", work.launched("openrlhf-sft.sh", "deepspeed")[2:])
    same("openrlhf-sft.sh", (args.adam.lr, args.lr_scheduler, args.lr_warmup_ratio, args.train.max_epochs, args.train.batch_size),
         (1e-5, "cosine", 0.1, 5, 32))
    rows, strategy = loaded(args, sft / "train.jsonl")
    data = SFTDataset(rows, tokenizer, args.data.max_len, strategy, input_template=args.data.input_template, num_processors=1)
    ends = len(tokenizer("\n", add_special_tokens=False)["input_ids"])
    expected = [(p, r[:-ends]) for p, r in work.tokens(tokenizer)]  # its response ends with the turn's end, as ours
    same("SFT rows", len(data), len(expected))
    same("SFT tokens", [data[i][0][0].tolist() for i in range(len(data))], [p + r for p, r in expected])
    same("SFT loss on the response", [data[i][2][0].tolist() for i in range(len(data))],
         [[0.0] * (len(p) - 1) + [1.0] * len(r) + [0.0] for p, r in expected])

    grpo = work.export("grpo")
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    args = openrlhf_arguments("train_ppo_ray", work.launched("openrlhf-grpo.sh", "python3", EXPORT=str(grpo), PRPF_REWARD_PORT=port)[2:])
    same("openrlhf-grpo.sh", (args.actor.adam.lr, args.algo.kl.use_loss, args.algo.kl.init_coef, args.rollout.n_samples_per_prompt,
                              args.rollout.batch_size, args.train.num_episodes, args.algo.advantage.estimator),
         (5e-7, True, 0.05, 8, 32, 1, "group_norm"))
    rows, strategy = loaded(args, args.data.prompt_dataset)
    data = PromptDataset(rows, tokenizer, strategy, input_template=args.data.input_template)
    datasources, prompts, labels, images = data.collate_fn([data[i] for i in range(len(data))])
    same("GRPO prompts", prompts, list(work.prompts()))
    same("GRPO labels", [json.loads(label)["id"] for label in labels], [record["id"] for record in work.records])
    same("GRPO has no images", set(images) | set(datasources), {None, "prpf"})

    import record_openrlhf

    async def rewarded(executor, prompt, label, answer):
        engine = record_openrlhf.Engine(tokenizer(answer + "<|im_end|>", add_special_tokens=False)["input_ids"])
        params = types.SimpleNamespace(max_tokens=64, logprobs=None)
        return (await executor.execute(prompt, label, params, 1 << 20, tokenizer, engine))["reward"]

    async def all_rewarded(url, answers):
        executor = record_openrlhf.executors("0.11.2")([url + "/get_reward"])
        return [await rewarded(executor, *asked) for asked in zip(prompts, labels, answers)]

    answers = work.answers()
    with work.service(grpo):
        seen = asyncio.run(all_rewarded(os.environ["PRPF_REWARD_URL"], answers))
    same("GRPO rewards", seen, [[line["total"]] for line in work.rewards(answers)])


def check_ms_swift(work):
    from swift.arguments import RLHFArguments, SftArguments
    from swift.cli.main import parse_yaml_args
    from swift.rewards import orms
    from swift.utils import parse_args
    from transformers import AutoTokenizer

    def launch(kind, name, out, *more):
        """What swift makes of the launch file here, where there are neither GPUs nor DeepSpeed nor vLLM."""
        given = [str(LAUNCH / name)]
        parse_yaml_args(given)
        for absent in ("--deepspeed", "--use_vllm", "--vllm_mode", "--vllm_gpu_memory_utilization", "--sleep_level"):
            if absent in given:
                del given[given.index(absent):given.index(absent) + 2]
        here = ["--model", work.model, "--model_type", "llama", "--torch_dtype", "float32", "--use_cpu", "true", "--dataset", str(out / "train.jsonl"),
                "--output_dir", str(work.folder / "o"), "--dataset_shuffle", "false", "--load_from_cache_file", "false", "--report_to", "none"]
        args, unknown = parse_args(kind, given + here + list(more))
        same(f"{name} has no option that swift does not know", unknown, [])
        return args

    tokenizer = AutoTokenizer.from_pretrained(work.model)
    sft = work.export("sft")
    args = launch(SftArguments, "ms-swift-sft.yaml", sft)
    same("ms-swift-sft.yaml", (args.learning_rate, str(args.training_args.lr_scheduler_type.value), args.warmup_ratio, args.num_train_epochs,
                               args.per_device_train_batch_size, args.gradient_accumulation_steps), (1e-5, "cosine", 0.1, 5, 2, 2))
    _, processor = args.get_model_processor(load_model=False)
    template = args.get_template(processor)
    template.set_mode("train")
    rows = [template.encode(dict(row)) for row in args.load_dataset()[0]]
    expected = work.tokens(tokenizer)
    same("SFT tokens", [list(row["input_ids"]) for row in rows], [p + r for p, r in expected])
    same("SFT loss on the response", [list(row["labels"]) for row in rows], [[-100] * len(p) + r for p, r in expected])

    grpo = work.export("grpo")
    args = launch(RLHFArguments, "ms-swift-grpo.yaml", grpo, "--external_plugins", str(grpo / "prpf_swift.py"))
    same("ms-swift-grpo.yaml", (args.learning_rate, args.beta, args.num_generations, args.num_train_epochs, args.loss_type,
                                args.per_device_train_batch_size * args.gradient_accumulation_steps * 8, args.reward_funcs),
         (5e-7, 0.05, 8, 1, "grpo", 32 * 8, ["prpf"]))
    data = [dict(row) for row in args.load_dataset()[0]]
    same("GRPO columns", [json.loads(row["ground_truth"])["id"] for row in data], [record["id"] for record in work.records])
    template = args.get_template(processor)
    seen = [list(template.encode({"messages": row["messages"]})["input_ids"]) for row in data]
    same("GRPO prompts", seen, [p for p, _ in expected])
    answers = work.answers()
    with work.service(grpo):
        seen = orms["prpf"](args)(answers, ground_truth=[row["ground_truth"] for row in data])
    same("GRPO rewards", seen, [line["total"] for line in work.rewards(answers)])


if __name__ == "__main__":
    checks = {"trl": check_trl, "llama-factory": check_llama_factory, "verl": check_verl, "openrlhf": check_openrlhf, "ms-swift": check_ms_swift}
    if len(sys.argv) > 7:
        checks = {"trl": check_trl_images, "llama-factory": check_llama_factory_images}
    with tempfile.TemporaryDirectory() as place:
        work = Work(*sys.argv[1:], folder=place)
        checks[work.trainer](work)
    print("all agree:", work.trainer)
