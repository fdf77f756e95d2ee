package dev.prpf.par.tokenizer;

/** Which added tokens steer a model, whatever their file says of them: those in angle brackets. */
final class ControlShape {
    private ControlShape() {}

    static boolean matches(String token) {
        return token.startsWith("<") && token.endsWith(">");
    }
}
