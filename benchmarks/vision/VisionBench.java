package dev.prpf.par.bench;

import ai.djl.pytorch.engine.PtNDManager;
import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.UsageException;
import dev.prpf.base.run.ProcessMemory;
import dev.prpf.base.run.StopSignal;
import dev.prpf.data.encode.image.VisionProcessor.VisionPatches;
import dev.prpf.par.engine.ImageFeatures.ImageGrid;
import dev.prpf.par.engine.Precision;
import dev.prpf.par.engine.TorchRuntime;
import dev.prpf.par.vision.VisionConfig;
import dev.prpf.par.vision.VisionConfig.VisionFlops;
import dev.prpf.par.vision.VisionConfig.VisionTokens;
import dev.prpf.par.vision.VisionTower;
import dev.prpf.par.vision.VisionTower.VisionWeights;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Random;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Measures a vision tower of random weights, one image a pass.
 *
 * @param shape of the tower, by name
 * @param precisions number formats, one tower each
 * @param images widths and heights in pixels, such as {@code 448x448}
 * @param rounds measurements of each
 */
public record VisionBench(String shape, List<Precision> precisions, List<String> images, int rounds) {
    private static final Logger LOG = LoggerFactory.getLogger(VisionBench.class);
    private static final Pattern SIZE = Pattern.compile("([1-9][0-9]{0,3})x([1-9][0-9]{0,3})");

    public VisionBench {
        precisions = List.copyOf(precisions);
        images = List.copyOf(images);
        if (rounds < 1) {
            throw new UsageException("--rounds = " + rounds + ", must be at least 1");
        }
        images.forEach(VisionBench::grid);
        knownShape(shape);
    }

    /**
     * Returns the shape of a Qwen3.5's vision encoder, to measure its speed without weights.
     *
     * @param label name of the Qwen3.5, in any case
     * @throws PrpfException 2 if it is unknown
     */
    static VisionConfig knownShape(String label) {
        VisionTokens tokens = new VisionTokens(248_056, 248_057, 248_053, 248_054);
        return switch (label.toLowerCase(Locale.ROOT)) {
            case "0.8b" -> new VisionConfig(12, 768, 3072, 12, 16, 2304, 1024, 10_000, tokens);
            case "4b" -> new VisionConfig(24, 1024, 4096, 16, 16, 2304, 2560, 10_000, tokens);
            default -> throw new UsageException("--vision = " + label + ", must be one of 0.8b, 4b");
        };
    }

    /** The grid of an image as near to its size as merged patches are. */
    private static ImageGrid grid(String image) {
        Matcher sides = SIZE.matcher(image);
        if (!sides.matches()) {
            throw new UsageException(
                    "--image = " + image + ", must be a width and a height in pixels such as 1080x2400");
        }
        return new ImageGrid(tokens(Integer.parseInt(sides.group(2))), tokens(Integer.parseInt(sides.group(1))));
    }

    private static int tokens(int pixels) {
        return Math.max(1, Math.round(pixels / 32f));
    }

    /**
     * All metrics, one number format after the other.
     *
     * @throws PrpfException 75 before the next pass once a signal came
     */
    public VisionMetrics run(StopSignal stop) {
        VisionConfig config = knownShape(shape);
        List<VisionMetrics.Row> rows = new ArrayList<>();
        for (Precision precision : precisions) {
            try (VisionWeights weights = VisionWeights.drawn(config);
                    VisionTower tower = VisionTower.of(weights, precision)) {
                for (String image : images) {
                    LOG.info("{}, {}", precision.label(), image);
                    rows.add(row(tower, precision, image, stop));
                }
            }
        }
        return new VisionMetrics(
                shape, config.parameterCount(), TorchRuntime.device(), TorchRuntime.threads(), rounds, rows);
    }

    private VisionMetrics.Row row(VisionTower tower, Precision precision, String image, StopSignal stop) {
        ImageGrid grid = grid(image);
        List<VisionPatches> patches = List.of(random(grid, tower.config().patchValues()));
        ProcessMemory.Measured<double[]> seconds = ProcessMemory.peakOf(() -> seconds(tower, patches, stop));
        Long peak = seconds.peakBytes();
        BenchMetrics.Spread spread = BenchMetrics.Spread.of(seconds.result());
        return new VisionMetrics.Row(
                precision.label(),
                tower.precision().label(),
                image,
                patches.get(0).patches(),
                spread,
                new VisionFlops(tower.config()).of(grid) / spread.median() / 1e9,
                peak == null ? null : peak / 1e6);
    }

    private double[] seconds(VisionTower tower, List<VisionPatches> patches, StopSignal stop) {
        double[] seconds = new double[rounds];
        for (int i = -1; i < rounds; i++) {
            stop.requireNone();
            try (PtNDManager scratch = TorchRuntime.newManager()) {
                long start = System.nanoTime();
                tower.forward(scratch, patches);
                TorchRuntime.synchronise();
                if (i >= 0) {
                    seconds[i] = (System.nanoTime() - start) / 1e9;
                }
            }
        }
        return seconds;
    }

    private static VisionPatches random(ImageGrid grid, int width) {
        float[] values = new float[grid.tokens() * VisionConfig.MERGE * VisionConfig.MERGE * width];
        Random random = new Random(0);
        for (int i = 0; i < values.length; i++) {
            values[i] = 2 * random.nextFloat() - 1;
        }
        return new VisionPatches(values, grid.rows() * VisionConfig.MERGE, grid.columns() * VisionConfig.MERGE);
    }
}
