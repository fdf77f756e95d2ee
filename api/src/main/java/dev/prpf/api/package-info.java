/**
 * Trained cascades for Java programs. {@link PrpfCascade#load} opens a folder that {@code prpf train} made. {@link PrpfCascade#perceive} runs the
 * gate on a {@link Sample}; {@link PrpfCascade#recommend} also runs the reasoner. A {@link PrpfStream} scores each new step of a device.
 *
 * <p>This package is the whole API and follows semantic versioning. All other packages of the class path are internal and may change with any
 * version. Failures that are not bugs are a {@link PrpfException}, with the message of the command line.
 */
@NullMarked
package dev.prpf.api;

import org.jspecify.annotations.NullMarked;
