/**
 * Reads the text on a screenshot: {@link dev.prpf.data.encode.ocr.ScreenReader} finds lines, reads them and puts them in reading
 * order.
 */
@NullMarked
package dev.prpf.data.encode.ocr;

import org.jspecify.annotations.NullMarked;
