package dev.prpf.mpp.threshold;

/**
 * A guarantee for a threshold on exchangeable data. With the stated confidence over the draw of the calibration samples, the risk is at most
 * the bound.
 *
 * @param bound required bound, percent
 * @param confidence percent
 * @param upper the upper confidence bound at the threshold, simultaneous over the grid, percent; at most the bound
 * @param samples calibration samples of the risk's class
 * @param grid number of thresholds that the bound was corrected for
 * @param calibrationSha256 of the file of calibration samples
 */
public record RiskControl(
        Risk risk,
        double bound,
        double confidence,
        double upper,
        int samples,
        int errors,
        int grid,
        String calibrationSha256) {}
