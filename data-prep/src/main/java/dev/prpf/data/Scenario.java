package dev.prpf.data;

import java.io.Serializable;

/**
 * An intent scenario of the catalogue.
 *
 * @param name the English name, which identifies it in files and reports ("Food & Dining")
 * @param chinese the name in Chinese prompts; the English name if the file has no other
 */
public record Scenario(String name, String chinese) implements Serializable {}
