/**
 * Descriptions of frozen encoders: {@link dev.prpf.data.encode.spec.EncoderSpec} has an encoder's files, inputs and outputs.
 * {@link dev.prpf.data.encode.spec.ShippedEncoders} lists the encoders in Maven artefacts.
 */
@NullMarked
package dev.prpf.data.encode.spec;

import org.jspecify.annotations.NullMarked;
