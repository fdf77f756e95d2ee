package dev.prpf.data.encode.ocr;

import java.util.ArrayList;
import java.util.List;

/**
 * The connected components (eight neighbours) of a probability map above a threshold.
 *
 * @param map shape (height, width)
 * @param seen marks visited cells
 * @param stack buffer for the cells of one component
 */
record Components(float[] map, int width, int height, float threshold, boolean[] seen, int[] stack) {
    Components(float[] map, int width, int height, float threshold) {
        this(map, width, height, threshold, new boolean[map.length], new int[map.length]);
    }

    /** A component's bounding box and score, the map's mean over the component. */
    record Core(int x, int y, int width, int height, float score) {}

    /** Finds all components, top row first. */
    List<Core> find() {
        List<Core> cores = new ArrayList<>();
        for (int start = 0; start < map.length; start++) {
            if (push(start, 0) > 0) {
                cores.add(flood());
            }
        }
        return cores;
    }

    /** Pushes an unvisited cell of a component onto the stack; returns the new height. */
    private int push(int at, int top) {
        if (seen[at] || map[at] <= threshold) {
            return top;
        }
        seen[at] = true;
        stack[top] = at;
        return top + 1;
    }

    private Core flood() {
        int minX = width;
        int minY = height;
        int maxX = 0;
        int maxY = 0;
        double sum = 0;
        int count = 0;
        for (int top = 1; top > 0; count++) {
            int at = stack[--top];
            int x = at % width;
            int y = at / width;
            minX = Math.min(minX, x);
            maxX = Math.max(maxX, x);
            minY = Math.min(minY, y);
            maxY = Math.max(maxY, y);
            sum += map[at];
            for (int ny = Math.max(0, y - 1); ny <= Math.min(height - 1, y + 1); ny++) {
                for (int nx = Math.max(0, x - 1); nx <= Math.min(width - 1, x + 1); nx++) {
                    top = push(ny * width + nx, top);
                }
            }
        }
        return new Core(minX, minY, maxX - minX + 1, maxY - minY + 1, (float) (sum / count));
    }
}
