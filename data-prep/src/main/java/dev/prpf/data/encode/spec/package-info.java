/**
 * What a frozen encoder is, as data: {@link dev.prpf.data.encode.spec.EncoderSpec} says where its files are, what it takes and what it
 * gives. The encoders that Maven artefacts carry stand in {@link dev.prpf.data.encode.spec.ShippedEncoders}.
 */
@NullMarked
package dev.prpf.data.encode.spec;

import org.jspecify.annotations.NullMarked;
