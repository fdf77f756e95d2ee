/**
 * Generates samples in ProactiveMobile's format with answers known by construction.
 *
 * <p>Entry point: {@link dev.prpf.data.synth.SampleSynth}. A sample depends only on {@link dev.prpf.data.synth.SynthSettings} and
 * its index, so order and parallelism do not matter. Flow: {@code SamplePlanner} draws the situation and its difficulty. {@code
 * SampleComposer} writes need, relation and distractors into profile, phone, world and trace. {@code AnswerBook} writes the valid
 * answers; {@code screen} draws the images. {@code CueComposer} composes the samples of {@link dev.prpf.data.synth.SynthSettings.VisualCues},
 * in which no text decides the answer.
 *
 * <p>Invariants: every text value of an answer occurs verbatim in the sample or is an enumeration value. A sample is silent
 * because of a relation (a later completion, a past time, the topic of a wish), never because of a single word.
 */
@NullMarked
package dev.prpf.data.synth;

import org.jspecify.annotations.NullMarked;
