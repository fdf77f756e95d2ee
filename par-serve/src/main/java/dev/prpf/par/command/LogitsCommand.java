package dev.prpf.par.command;

import dev.prpf.base.command.CascadePart;
import dev.prpf.base.files.AtomicFiles;
import dev.prpf.base.files.SafeTensors;
import dev.prpf.base.run.StopSignal;
import dev.prpf.par.command.LocalDecodingOptions.UsualPrecision;
import dev.prpf.par.engine.CausalLm;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.Prompt;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import java.nio.file.Path;
import java.util.Map;
import java.util.function.Supplier;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf reasoner logits}: computes a model's logits for given tokens, to compare it with other implementations. */
@Command(
        name = "logits",
        defaultValueProvider = UsualPrecision.class,
        description = "Write a model's logits for given tokens to a safetensors file.",
        footer = {
            "",
            "Example: ./prpf reasoner logits --reasoner runs/reasoner/model --ids 5,9,2 --out logits.safetensors"
        })
final class LogitsCommand implements Runnable {
    @Option(
            names = "--reasoner",
            converter = CascadePart.Reasoner.class,
            required = true,
            paramLabel = "DIR",
            description = "A Hugging Face model directory, a training's run or a cascade.")
    private Path model;

    @Option(names = "--ids", required = true, split = ",", paramLabel = "ID", description = "The tokens.")
    private long[] ids;

    @Mixin
    private ImagesOption images;

    @Option(names = "--dtype", description = "fp32, bf16 or int8 (default: fp32; bf16 on a GPU).")
    private Precision dtype;

    @Option(
            names = "--out",
            required = true,
            paramLabel = "FILE",
            description = "Gets the tensor \"logits\" (T, vocabulary) in float32.")
    private Path out;

    /** Creates the signal handler; tests set their own. */
    Supplier<StopSignal> signals = StopSignal::install;

    @Override
    public void run() {
        AtomicFiles.requireWritable(out);
        HuggingFaceDirectory directory = HuggingFaceDirectory.open(model);
        try (StopSignal stop = signals.get()) {
            Prompt prompt = images.see(directory, dtype, ids, true);
            stop.requireNone();
            try (CausalLm decoder = directory.decoder(dtype)) {
                stop.requireNone();
                decoder.logits(prompt, logits -> {
                    stop.requireNone();
                    SafeTensors.write(out, Map.of("logits", logits), Map.of());
                });
            }
        }
    }
}
