package dev.prpf.par.serve.openai;

import java.util.List;

/** Answers the chat requests for one model name in place of a generation. Thread-safe. */
public interface ChatRole {
    /** Returns the model name of its requests. */
    String name();

    /** Returns the minimum response time in seconds; a reply that is ready earlier waits. */
    double seconds();

    /** Returns the reply to a chat. A failure also becomes a reply. */
    Reply reply(Chat chat);

    /**
     * A request for the next reply.
     *
     * @param caller API key, for fair turns
     * @param user as the body names it, or the API key
     * @param waiting throws if the client disconnected
     */
    record Chat(String id, String caller, String user, List<Message> messages, Runnable waiting) {}

    /** A message with the texts of its parts. */
    record Message(String role, String text) {}

    /**
     * A reply with its cost.
     *
     * @param promptTokens of the reasoner's prompt; 0 if the reasoner did not run, or its cost is unknown
     */
    record Reply(String text, int promptTokens, int completionTokens) {}
}
