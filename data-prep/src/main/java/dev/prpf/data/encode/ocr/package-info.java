/**
 * Recognises the text on a screenshot: {@link dev.prpf.data.encode.ocr.ScreenReader} detects lines, recognises them and sorts
 * them into reading order.
 */
@NullMarked
package dev.prpf.data.encode.ocr;

import org.jspecify.annotations.NullMarked;
