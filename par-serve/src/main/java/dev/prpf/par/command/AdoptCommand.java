package dev.prpf.par.command;

import dev.prpf.base.command.ConfigOptions;
import dev.prpf.base.config.Defaults;
import dev.prpf.par.chat.ChatTokenizer;
import dev.prpf.par.plan.PlannedCommand;
import dev.prpf.par.plan.StageNeed;
import dev.prpf.par.plan.StagePlan;
import dev.prpf.par.prompt.PromptProvenance;
import dev.prpf.par.prompt.PromptSettings;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;
import picocli.CommandLine.Option;

/** {@code prpf reasoner adopt}: registers a model that was not trained here, with the form of its prompts. */
@Command(
        name = "adopt",
        description = {
            "Write prpf.json into the directory of a model that was not trained here.",
            "First checks that the model can read our prompts. eval run, reasoner respond, data rollout-set and reasoner grpo then take it."
        },
        footer = "  ./prpf reasoner adopt --config configs/reasoner-adopt.yaml --reasoner runs/trl-sft/model")
public final class AdoptCommand implements Runnable, PlannedCommand {
    @Mixin
    private ConfigOptions common = new ConfigOptions();

    @Option(names = "--reasoner", required = true, paramLabel = "DIR", description = "A Hugging Face model directory.")
    private Path model;

    @Option(
            names = "--out",
            paramLabel = "DIR",
            description =
                    "Create this directory of links to the model's files, and leave the model's unchanged. An equal one"
                            + " is kept (default: write into the model's).")
    private @Nullable Path out;

    @Override
    public void run() {
        RegistrationConfig config = common.required(RegistrationConfig.class, "reasoner adopt");
        ModelRegistration registration = new ModelRegistration(model);
        PromptProvenance provenance;
        try (ChatTokenizer tokenizer = PromptProvenance.tokenizer(model)) {
            provenance = registration.provenance(config.prompt(), tokenizer);
        }
        Path target = out == null ? model : out;
        if (!common.dryRun) {
            if (out == null) {
                provenance.write(model);
            } else {
                registration.link(out, provenance);
            }
        }
        common.print(new Result(
                common.dryRun ? null : target.toString(), provenance.promptHash(), provenance.tokenizerSha256()));
    }

    @Override
    public StageNeed need(StagePlan plan) {
        RegistrationConfig config = common.required(RegistrationConfig.class, "reasoner adopt");
        plan.makes(out == null ? model : out, plan.model(model).reading(config.prompt(), 0));
        return StageNeed.withoutModel();
    }

    private record Result(@Nullable String model, String promptHash, String tokenizerSha256) {}

    /**
     * The configuration file {@code configs/reasoner-adopt.yaml}.
     *
     * @param prompt form of the model's prompts
     */
    @Defaults("/configs/reasoner-adopt.yaml")
    public record RegistrationConfig(PromptSettings prompt) {}
}
