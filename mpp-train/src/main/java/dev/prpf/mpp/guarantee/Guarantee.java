package dev.prpf.mpp.guarantee;

import com.fasterxml.jackson.annotation.JsonProperty;
import java.util.Locale;

/**
 * What holds of a threshold on exchangeable data: with the stated confidence over the draw of the calibration samples, the risk is at
 * most the bound.
 *
 * @param risk the error rate
 * @param bound asked for, percent
 * @param confidence percent
 * @param upper the upper confidence bound at the threshold, simultaneous over the grid, percent; at most the bound
 * @param samples calibration samples of the risk's class
 * @param errors among them at the threshold
 * @param grid thresholds the bound was corrected for
 * @param calibrationSha256 of the file of calibration samples
 */
public record Guarantee(
        @JsonProperty("risk") Risk risk,
        @JsonProperty("bound") double bound,
        @JsonProperty("confidence") double confidence,
        @JsonProperty("upper") double upper,
        @JsonProperty("samples") int samples,
        @JsonProperty("errors") int errors,
        @JsonProperty("grid") int grid,
        @JsonProperty("calibration_sha256") String calibrationSha256) {

    /** One line for reports. */
    public String sentence() {
        return String.format(
                Locale.ROOT,
                "%s <= %s %% with confidence %s %%: %d errors in %d %s calibration samples, upper bound %.2f %% (Clopper-Pearson,"
                        + " Bonferroni over %d thresholds)",
                risk.label(),
                LearnThenTest.number(bound),
                LearnThenTest.number(confidence),
                errors,
                samples,
                risk.over(),
                upper,
                grid);
    }
}
