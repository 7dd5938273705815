package dev.cove.egress.secret;

import dev.cove.egress.http.Edits;
import dev.cove.egress.http.Fields;
import dev.cove.egress.http.Fields.Field;
import dev.cove.egress.http.Filter;
import dev.cove.egress.http.UnreadableAnswerException;
import dev.cove.model.secret.SecretPlace;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Base64;
import java.util.List;
import java.util.Locale;
import java.util.Set;
import java.util.function.UnaryOperator;

/** One request with its secrets at their places, and answers without them. */
final class SecretEdits implements Edits {
  private static final String AUTHORIZATION = "Authorization";
  private static final String ACCEPT_ENCODING = "Accept-Encoding";
  private static final int PARTIAL = 206;

  private final Masks masks;
  private final List<BodyField> bodyFields = new ArrayList<>();
  private String target;
  private List<Field> fields;

  /** Nothing is in it yet; what comes back is masked. */
  SecretEdits(String target, List<Field> fields, Masks masks) {
    this.target = target;
    this.fields = masks.isEmpty() ? fields : readable(fields);
    this.masks = masks;
  }

  /** One can look only into answers in a coding that one knows. */
  private static List<Field> readable(List<Field> fields) {
    boolean gzip =
        Fields.of(fields).words(ACCEPT_ENCODING).stream()
            .anyMatch(word -> word.matches("(x-)?gzip *(; *q=(1|0?\\.\\d*[1-9]\\d*|1\\.0*) *)?"));
    return Fields.of(fields)
        .without(Set.of("accept-encoding"))
        .with(ACCEPT_ENCODING, gzip ? "gzip" : "identity")
        .all();
  }

  /**
   * Puts a secret where its placeholder is.
   *
   * @param added and also where there is nothing
   */
  void put(SecretPlace place, String placeholder, SecretValue secret, boolean added) {
    String value = secret.reveal();
    switch (place) {
      case SecretPlace.Bearer _ ->
          put(
              AUTHORIZATION,
              "Bearer " + value,
              added,
              old -> isOfScheme(old, "bearer", placeholder) ? "Bearer " + value : old);
      case SecretPlace.Basic(String user) -> {
        String credentials = "Basic " + Spelling.basic(user, value);
        put(
            AUTHORIZATION,
            credentials,
            added,
            old -> isBasic(old, placeholder) ? credentials : old);
      }
      case SecretPlace.Header(String name) ->
          put(name, value, added, old -> old.replace(placeholder, value));
      case SecretPlace.Query(String name) -> putIntoQuery(name, placeholder, value, added);
      case SecretPlace.Body(String name) -> {
        if (isReadableBody()) {
          bodyFields.add(new BodyField(name, placeholder, value));
        }
      }
    }
  }

  private void put(String name, String value, boolean added, UnaryOperator<String> swap) {
    var changed = new ArrayList<Field>();
    boolean there = false;
    for (Field field : fields) {
      there |= field.is(name);
      changed.add(field.is(name) ? new Field(field.name(), swap.apply(field.value())) : field);
    }
    if (!there && added) {
      changed.add(new Field(name, value));
    }
    fields = changed;
  }

  private static boolean isOfScheme(String value, String scheme, String credentials) {
    int space = value.indexOf(' ');
    return space > 0
        && value.substring(0, space).equalsIgnoreCase(scheme)
        && value.substring(space).strip().equals(credentials);
  }

  /** Whoever its user is: the placeholder is the password, or all of the credentials. */
  private static boolean isBasic(String value, String placeholder) {
    if (isOfScheme(value, "basic", placeholder)) {
      return true;
    }
    if (!value.toLowerCase(Locale.ROOT).startsWith("basic ")) {
      return false;
    }
    try {
      String decoded =
          new String(
              Base64.getDecoder().decode(value.substring("basic ".length()).strip()),
              StandardCharsets.ISO_8859_1);
      int colon = decoded.indexOf(':');
      return decoded.equals(placeholder)
          || decoded.equals(placeholder + ":")
          || (colon >= 0 && decoded.substring(colon + 1).equals(placeholder));
    } catch (IllegalArgumentException e) {
      return false;
    }
  }

  private void putIntoQuery(String name, String placeholder, String value, boolean added) {
    int mark = target.indexOf('?');
    String path = mark < 0 ? target : target.substring(0, mark);
    String query = mark < 0 ? "" : target.substring(mark + 1);
    String swapped = Parameters.swapped(query, name, placeholder, value);
    if (added && !Parameters.has(query, name)) {
      String pair = name + "=" + Spelling.inQuery(value);
      swapped = query.isEmpty() ? pair : query + "&" + pair;
    }
    target = mark < 0 && swapped.isEmpty() ? target : path + "?" + swapped;
  }

  private boolean isReadableBody() {
    return Fields.of(fields).values("Content-Encoding").isEmpty()
        && (contentType().startsWith("application/x-www-form-urlencoded")
            || contentType().matches("application/([a-z0-9.-]+\\+)?json( *;.*)?"));
  }

  private String contentType() {
    List<String> types = Fields.of(fields).values("Content-Type");
    return types.size() == 1 ? types.getFirst().toLowerCase(Locale.ROOT) : "";
  }

  @Override
  public String target() {
    return target;
  }

  @Override
  public List<Field> fields() {
    return fields;
  }

  @Override
  public boolean changesBody() {
    return !bodyFields.isEmpty();
  }

  @Override
  public byte[] body(byte[] whole) {
    byte[] body = whole;
    for (BodyField field : bodyFields) {
      body = field.in(body, contentType());
    }
    return body;
  }

  @Override
  public boolean changesAnswers() {
    return !masks.isEmpty();
  }

  @Override
  public List<Field> answered(List<Field> answer) {
    return answer.stream()
        .map(field -> new Field(masks.apply(field.name()), masks.apply(field.value())))
        .toList();
  }

  @Override
  public String answered(String text) {
    return masks.apply(text);
  }

  @Override
  public Filter answer(int status, List<Field> answer) throws UnreadableAnswerException {
    List<String> codings = Fields.of(answer).words("Content-Encoding");
    if (codings.isEmpty() || codings.equals(List.of("identity"))) {
      return masks.filter();
    }
    boolean gzip = codings.equals(List.of("gzip")) || codings.equals(List.of("x-gzip"));
    if (!gzip) {
      throw new UnreadableAnswerException("it has a content coding that was not asked for");
    }
    if (status == PARTIAL) {
      throw new UnreadableAnswerException("it is a part of something compressed");
    }
    return new Gunzip().then(masks.filter());
  }

  /** Shows nothing. */
  @Override
  public String toString() {
    return "request with secrets";
  }
}
