package dev.prpf.eval.command;

import dev.prpf.base.command.OptionGroup;
import dev.prpf.base.config.StrictYaml;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.par.cascade.LocalReasoner;
import dev.prpf.par.cascade.LocalReasoner.SeededSampling;
import dev.prpf.par.cascade.RemoteReasoner;
import dev.prpf.par.command.LocalDecodingOptions;
import dev.prpf.par.huggingface.HuggingFaceDirectory;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.sets.SftRecord;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;
import picocli.CommandLine.ParseResult;

/** Decoding options of a reasoner in this process; a reasoner on a server has a file instead. A mixin. */
@OptionGroup(OptionGroup.DECODING)
final class DecodingOptions {
    /** Options for only a reasoner in this process: a perceiver is greedy. */
    private static final List<String> DRAWN = List.of("--temperature", "--top-p", "--seed");

    private static final List<String> LOCAL =
            Stream.of(LocalDecodingOptions.NAMES, DRAWN).flatMap(List::stream).toList();

    private static final String SET = "--set";

    @Option(names = SET, paramLabel = "KEY=VALUE", description = "Override a key of the --remote file (repeatable).")
    private List<String> overrides = List.of();

    @Mixin
    private LocalDecodingOptions local;

    @Option(
            names = "--temperature",
            paramLabel = "T",
            defaultValue = "0",
            description = "Sampling temperature; 0 is greedy (default: ${DEFAULT-VALUE}).")
    private double temperature;

    @Option(
            names = "--top-p",
            paramLabel = "P",
            description = "Sample from the likeliest tokens with this total probability (default: 1).")
    private @Nullable Double topP;

    @Option(
            names = "--seed",
            paramLabel = "N",
            description = "Sampling seed; a sample's tokens depend only on it and the sample's id (default: 1).")
    private @Nullable Long seed;

    /** Settings of the reasoner, in this process or on a server; the other one is null. */
    record Answering(LocalReasoner.@Nullable Settings local, RemoteReasoner.@Nullable RemoteSettings remote) {}

    Answering answering(RemoteReasoner.@Nullable Config remote) {
        return remote == null ? new Answering(local(), null) : new Answering(null, remote.reasoner());
    }

    /** @throws UsageException for a value out of range, or an option without effect */
    LocalReasoner.Settings local() {
        try {
            return local.settings(sampling());
        } catch (IllegalArgumentException e) {
            throw new UsageException("--" + e.getMessage());
        }
    }

    private @Nullable SeededSampling sampling() {
        if (temperature != 0) {
            return new SeededSampling(temperature, topP == null ? 1 : topP, seed == null ? 1 : seed);
        }
        if (topP != null || seed != null) {
            throw new UsageException((topP != null ? "--top-p" : "--seed")
                    + " has no effect at --temperature 0, which is greedy; give a temperature above 0");
        }
        return null;
    }

    /**
     * Reads the settings of a reasoner on a server.
     *
     * @param perceiver whether these options belong to a perceiver in this process
     */
    RemoteReasoner.Config remote(Path file, ParseResult given, boolean perceiver) {
        String why = "is for --reasoner; the settings of a reasoner on a server are in " + file;
        refuseAll(perceiver ? DRAWN : LOCAL, given, perceiver ? why + ", and a perceiver is greedy" : why);
        return StrictYaml.read(file, RemoteReasoner.Config.class, overrides);
    }

    static void refuseLocal(ParseResult given, String why) {
        refuseAll(LOCAL, given, why);
    }

    private static void refuseAll(List<String> options, ParseResult given, String why) {
        options.forEach(option -> refuse(given, option, option + " " + why));
    }

    /** Refuses {@code --set} without a file to override. */
    static void refuseOverrides(ParseResult given) {
        refuse(given, SET, SET + " overrides keys of a --remote file, which is not given");
    }

    static void refuse(ParseResult given, String option, String why) {
        if (given.hasMatchedOption(option)) {
            throw new UsageException(why);
        }
    }

    /** Returns a reasoner's facts for {@code run.json}: hashes of a model's files and prompts, or of the prompts for a server. */
    static Map<String, Object> facts(String reasoner, @Nullable Path model, RemoteReasoner.@Nullable Config remote) {
        Map<String, Object> facts = new LinkedHashMap<>();
        facts.put("reasoner", reasoner);
        facts.put(
                "model_sha256",
                model == null ? "none" : HuggingFaceDirectory.open(model).sha256());
        if (model != null) {
            facts.put("prompt_hash", PromptProvenance.read(model).promptHash());
        } else if (remote != null) {
            facts.put("prompt_hash", SftRecord.wordingOf(remote.reasoner().prompt()));
        }
        return facts;
    }
}
