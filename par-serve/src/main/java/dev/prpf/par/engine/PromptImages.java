package dev.prpf.par.engine;

import dev.prpf.base.error.PrpfException;
import dev.prpf.base.error.PrpfException.InvalidDataException;
import dev.prpf.par.engine.ImageFeatures.ImageGrid;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;

/**
 * The images of a prompt: their placeholders, and the position of each token on three axes, time, height and width (M-RoPE, Qwen2-VL,
 * arXiv:2409.12191). Text is at p, p, p. An image that begins at p has its patch of row r and column c at p, p + r, p + c. The next text continues at
 * p + max(rows, columns).
 *
 * @param begins index of each image's first placeholder
 * @param grids of the images, in order
 */
public record PromptImages(List<Integer> begins, List<ImageGrid> grids) {
    /** Images of a prompt of text only. */
    public static final PromptImages NONE = new PromptImages(List.of(), List.of());

    private static final int AXES = 3;

    /**
     * Replaces each image's one placeholder, written by a chat template, by one per image token.
     *
     * @param ids one placeholder per image
     * @throws PrpfException 65 if the numbers of images and placeholders differ
     */
    public static long[] expand(long[] ids, int placeholder, List<ImageGrid> grids) {
        long places = Arrays.stream(ids).filter(id -> id == placeholder).count();
        requireAsMany(places, grids.size());
        long[] expanded = new long
                [Math.toIntExact(ids.length
                        - places
                        + grids.stream().mapToInt(ImageGrid::tokens).sum())];
        int at = 0;
        int image = 0;
        for (long id : ids) {
            int times = id == placeholder ? grids.get(image++).tokens() : 1;
            Arrays.fill(expanded, at, at + times, id);
            at += times;
        }
        return expanded;
    }

    /**
     * Finds the images' placeholders, which are expanded already.
     *
     * @throws PrpfException 65 if the number of placeholders is wrong for the images
     */
    public static PromptImages of(long[] ids, int placeholder, List<ImageGrid> grids) {
        List<Integer> begins = new ArrayList<>();
        int at = 0;
        for (ImageGrid grid : grids) {
            while (at < ids.length && ids[at] != placeholder) {
                at++;
            }
            begins.add(at);
            for (int end = at + grid.tokens(); at < end; at++) {
                if (at >= ids.length || ids[at] != placeholder) {
                    throw new InvalidDataException("image " + begins.size() + " of " + grids.size() + " has "
                            + grid.tokens() + " tokens, but token " + at + " of the prompt is no placeholder of it");
                }
            }
        }
        long places = Arrays.stream(ids).filter(id -> id == placeholder).count();
        int needed = grids.stream().mapToInt(ImageGrid::tokens).sum();
        if (places != needed) {
            throw new InvalidDataException("the prompt has " + places + " placeholders of images, its " + grids.size()
                    + " images need " + needed);
        }
        return new PromptImages(begins, grids);
    }

    private static void requireAsMany(long places, int images) {
        if (places != images) {
            throw new InvalidDataException("the prompt has a place for " + places + " images, and " + images
                    + " are given; give as many as it has places");
        }
    }

    /**
     * Returns the positions of tokens, also of those generated after the prompt.
     *
     * @return (3, end - begin)
     */
    public long[][] positions(int begin, int end) {
        long[][] positions = new long[AXES][end - begin];
        int next = 0; // the first token after the images so far
        long shift = 0; // from a token's place to its position
        for (int i = 0; i <= grids.size(); i++) {
            int first = i < grids.size() ? begins.get(i) : Integer.MAX_VALUE;
            for (int t = Math.max(begin, next); t < Math.min(end, first); t++) {
                for (long[] axis : positions) {
                    axis[t - begin] = t + shift;
                }
            }
            if (i < grids.size()) {
                image(positions, begin, end, first, first + shift, grids.get(i));
                next = first + grids.get(i).tokens();
                shift += Math.max(grids.get(i).rows(), grids.get(i).columns())
                        - grids.get(i).tokens();
            }
        }
        return positions;
    }

    private static void image(long[][] positions, int begin, int end, int first, long at, ImageGrid grid) {
        for (int t = Math.max(begin, first); t < Math.min(end, first + grid.tokens()); t++) {
            positions[0][t - begin] = at;
            positions[1][t - begin] = at + (t - first) / grid.columns();
            positions[2][t - begin] = at + (t - first) % grid.columns();
        }
    }
}
