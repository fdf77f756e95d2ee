package dev.prpf.par.grpo;

import dev.prpf.par.grpo.GrpoSettings.AdvantageSettings;
import dev.prpf.par.grpo.GrpoSettings.AdvantageSettings.Scale;
import dev.prpf.par.grpo.GrpoSettings.ImportanceLevel;
import dev.prpf.par.grpo.GrpoSettings.LossAggregation;
import java.util.Arrays;

/** Published objectives by the name of their source. Each number of a preset can be changed. */
public enum GrpoPreset {
    /** PRPF's equation 14 with Table 4's β; mean over tokens, then over responses. The paper gives no ε and no δ: 0.2 and 1e-4. */
    PRPF("prpf", of(std(1e-4), LossAggregation.SEQUENCE_MEAN, 0.2, 0.05)),
    /** DeepSeekMath's objective (arXiv:2402.03300 eq. 3) with its β; TRL's {@code grpo}. */
    GRPO_ORIGINAL("grpo-original", of(std(1e-4), LossAggregation.SEQUENCE_MEAN, 0.2, 0.04)),
    /** The objective of Dr. GRPO (arXiv:2503.20783): no standard deviation in the advantage, a fixed denominator, no KL. */
    DR_GRPO("dr_grpo", of(new AdvantageSettings(Scale.NONE, 0), LossAggregation.FIXED_LENGTH, 0.2, 0)),
    /** DAPO's objective (arXiv:2503.14476 eq. 8): mean over tokens, clipped higher above, no KL. */
    DAPO("dapo", of(std(1e-4), LossAggregation.TOKEN_MEAN, 0.28, 0)),
    /** TRL's default in version 1.9: {@code loss_type="dapo"}, β 0, ε 0.2. */
    TRL_DAPO("trl-dapo", of(std(1e-4), LossAggregation.TOKEN_MEAN, 0.2, 0)),
    /** verl 0.9's default for {@code adv_estimator=grpo}: token-mean, dual clip 3, log-ratios within 20, no KL loss. */
    VERL_TOKEN_MEAN(
            "verl-token-mean",
            new GrpoSettings(std(1e-6), ImportanceLevel.TOKEN, LossAggregation.TOKEN_MEAN, 0.2, 0.2, 0, 3.0, 20.0)),
    /** GSPO (arXiv:2507.18071, §5.1): one ratio per response, clipped at 3e-4 and 4e-4. */
    GSPO(
            "gspo",
            new GrpoSettings(
                    std(1e-4), ImportanceLevel.SEQUENCE, LossAggregation.SEQUENCE_MEAN, 3e-4, 4e-4, 0, null, null));

    private final String label;

    @SuppressWarnings("ImmutableEnumChecker") // a record of numbers and enums
    private final GrpoSettings settings;

    GrpoPreset(String label, GrpoSettings settings) {
        this.label = label;
        this.settings = settings;
    }

    private static AdvantageSettings std(double epsilon) {
        return new AdvantageSettings(Scale.SAMPLE_STD, epsilon);
    }

    private static GrpoSettings of(
            AdvantageSettings advantages, LossAggregation aggregation, double clipHigh, double klCoefficient) {
        return new GrpoSettings(
                advantages, ImportanceLevel.TOKEN, aggregation, 0.2, clipHigh, klCoefficient, null, null);
    }

    public GrpoSettings settings() {
        return settings;
    }

    /** Returns the name in configurations. */
    public String label() {
        return label;
    }

    /**
     * Returns the preset of that name.
     *
     * @throws IllegalArgumentException naming all presets if it is unknown
     */
    public static GrpoPreset named(String label) {
        return Arrays.stream(values())
                .filter(preset -> preset.label.equals(label))
                .findFirst()
                .orElseThrow(() -> new IllegalArgumentException("loss preset = " + label + ", must be one of "
                        + Arrays.stream(values()).map(GrpoPreset::label).toList()));
    }
}
