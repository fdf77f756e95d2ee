package dev.prpf.data;

import java.io.Serializable;

/**
 * An intent scenario of the catalogue.
 *
 * @param name the English name, which identifies it in files and reports ("Food & Dining")
 * @param chinese the Chinese name, used in prompts
 */
public record Scenario(String name, String chinese) implements Serializable {}
