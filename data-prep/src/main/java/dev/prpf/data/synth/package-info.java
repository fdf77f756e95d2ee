/**
 * Makes samples in ProactiveMobile format, of our own writing, with their answers known by construction.
 *
 * <p>Entry: {@link dev.prpf.data.synth.SampleSynth}, which gives the sample of any index on its own: a sample depends on
 * {@link dev.prpf.data.synth.SynthSettings} and its index only, so neither order nor parallelism matters and nothing is kept. Flow:
 * {@code SamplePlanner} decides what kind of moment it is and how hard, {@code SampleComposer} puts need, relation and distractors
 * into profile, phone, world and trace, {@code AnswerBook} writes the valid answers; {@code screen} draws the images. {@code
 * CueComposer} makes the samples of {@link dev.prpf.data.synth.VisualCues} instead, whose answer no text tells.
 *
 * <p>Invariants: every text value of an answer stands verbatim in the sample or is an enumeration value; what makes a sample silent is
 * a relation (the same thing completed later, a time that has passed, the topic of a stated wish), never a word of its own.
 */
@NullMarked
package dev.prpf.data.synth;

import org.jspecify.annotations.NullMarked;
