package dev.prpf.data.encode.ocr;

/**
 * One piece of text on a screen.
 *
 * @param text what was read
 * @param confidence mean probability of its characters, 0 to 1
 * @param x left edge in pixels of the picture
 * @param y top edge
 * @param width of the box
 * @param height of the box
 */
public record TextLine(String text, double confidence, int x, int y, int width, int height) {}
