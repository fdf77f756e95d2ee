/**
 * Parts of all commands: {@link ConfigOptions} reads the configuration, {@link RunOptions} names the run's directory, and {@link
 * RunOptions.TrackOption} the trackers. {@link JsonOption} prints the result through {@link ResultStream}, as text or JSON.
 */
@NullMarked
package dev.prpf.base.command;

import org.jspecify.annotations.NullMarked;
