// The cases of tests/conformance on Java's stubs, in one call and through a
// stream.
//
// Usage: Conformance ADDRESS CASES MODELS   prints what is wrong, case by case,
// and how many were asked

import com.google.gson.JsonArray;
import com.google.gson.JsonElement;
import com.google.gson.JsonObject;
import com.google.gson.JsonParser;
import com.google.gson.JsonPrimitive;
import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import com.google.protobuf.Descriptors.EnumValueDescriptor;
import com.google.protobuf.Message;
import com.google.protobuf.util.JsonFormat;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.Status;
import io.grpc.stub.StreamObserver;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import torqued.v1.ArrayOuterClass.Array;
import torqued.v1.DynamicsGrpc;
import torqued.v1.DynamicsOuterClass.ComputeReply;
import torqued.v1.DynamicsOuterClass.ComputeRequest;
import torqued.v1.DynamicsOuterClass.EvaluateChunk;
import torqued.v1.DynamicsOuterClass.EvaluateReply;
import torqued.v1.DynamicsOuterClass.EvaluateRequest;
import torqued.v1.DynamicsOuterClass.EvaluateStart;
import torqued.v1.DynamicsOuterClass.Results;
import torqued.v1.DynamicsOuterClass.RowStatus;
import torqued.v1.Errors;
import torqued.v1.ModelRegistryGrpc;
import torqued.v1.ModelRegistryOuterClass.RegisterModelRequest;

public class Conformance {
  static final String WRENCH = "tip_wrench_on_environment";
  static final Map<String, String> PREFIXES =
      Map.of(
          "quantities", "QUANTITY_",
          "reference_frame", "REFERENCE_FRAME_",
          "tip_wrench_reference_frame", "REFERENCE_FRAME_",
          "precision", "PRECISION_",
          "axes", "TASK_AXIS_",
          "singularity", "SINGULARITY_RULE_");
  static final Metadata.Key<byte[]> DETAILS =
      Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER);

  // Part of an answer: a whole reply, or that to a chunk.
  record Part(Results results, List<RowStatus> rows, long notOk) {}

  static class Wrong extends Exception {
    Wrong(String what) {
      super(what);
    }
  }

  static void check(boolean holds, Object what) throws Wrong {
    if (!holds) throw new Wrong(what.toString());
  }

  // --- From JSON ------------------------------------------------------------

  // With the names of enums as protobuf has them.
  static JsonElement prefixed(String key, JsonElement json) {
    if (json.isJsonObject()) {
      JsonObject object = new JsonObject();
      for (var entry : json.getAsJsonObject().entrySet()) {
        object.add(entry.getKey(), prefixed(entry.getKey(), entry.getValue()));
      }
      return object;
    }
    if (json.isJsonArray()) {
      JsonArray array = new JsonArray();
      for (JsonElement element : json.getAsJsonArray()) array.add(prefixed(key, element));
      return array;
    }
    String prefix = PREFIXES.get(key);
    return prefix == null ? json : new JsonPrimitive(prefix + json.getAsString());
  }

  static double number(JsonElement json) {
    return json.isJsonNull() ? Double.NaN : Double.parseDouble(json.getAsString());
  }

  // Rows [first, end) of a table; all of one that has a single row.
  static Array rows(JsonArray table, int first, int end) {
    int last = Math.min(end, table.size());
    int begin = table.size() == 1 ? 0 : Math.min(first, last);
    int columns = table.get(0).getAsJsonArray().size();
    ByteBuffer bytes =
        ByteBuffer.allocate(8 * columns * (last - begin)).order(ByteOrder.LITTLE_ENDIAN);
    for (int row = begin; row < last; ++row) {
      for (JsonElement x : table.get(row).getAsJsonArray()) bytes.putDouble(number(x));
    }
    return Array.newBuilder().setColumns(columns).setF64(ByteString.copyFrom(bytes.flip())).build();
  }

  static <B extends Message.Builder> B merged(JsonObject one, B builder) throws Exception {
    JsonObject json = new JsonObject();
    for (String key : List.of("model", "quantities", "options", "operational_space")) {
      if (one.has(key)) json.add(key, prefixed(key, one.get(key)));
    }
    JsonFormat.parser().merge(json.toString(), builder);
    return builder;
  }

  static JsonElement wrenchFrame(JsonObject one) {
    String key = "tip_wrench_reference_frame";
    return one.has(key) ? prefixed(key, one.get(key)) : null;
  }

  static ComputeRequest request(JsonObject one) throws Exception {
    ComputeRequest.Builder request = merged(one, ComputeRequest.newBuilder());
    for (var entry : one.getAsJsonObject("states").entrySet()) {
      Array array = rows(entry.getValue().getAsJsonArray(), 0, Integer.MAX_VALUE);
      if (entry.getKey().equals(WRENCH)) {
        request.getTipWrenchOnEnvironmentBuilder().setWrench(array);
      } else {
        var field = ComputeRequest.getDescriptor().findFieldByName(entry.getKey());
        request.setField(field, array);
      }
    }
    if (wrenchFrame(one) != null) {
      JsonObject frame = new JsonObject();
      frame.add("reference_frame", wrenchFrame(one));
      JsonFormat.parser().merge(frame.toString(), request.getTipWrenchOnEnvironmentBuilder());
    }
    return request.build();
  }

  static EvaluateStart start(JsonObject one) throws Exception {
    EvaluateStart.Builder start = merged(one, EvaluateStart.newBuilder());
    if (wrenchFrame(one) != null) {
      JsonObject frame = new JsonObject();
      frame.add("tip_wrench_reference_frame", wrenchFrame(one));
      JsonFormat.parser().merge(frame.toString(), start);
    }
    return start.build();
  }

  static EvaluateChunk chunk(JsonObject one, int first, int end) {
    EvaluateChunk.Builder chunk = EvaluateChunk.newBuilder();
    for (var entry : one.getAsJsonObject("states").entrySet()) {
      var field = EvaluateChunk.getDescriptor().findFieldByName(entry.getKey());
      chunk.setField(field, rows(entry.getValue().getAsJsonArray(), first, end));
    }
    return chunk.build();
  }

  // --- Asking ---------------------------------------------------------------

  static List<Part> call(DynamicsGrpc.DynamicsBlockingStub stub, JsonObject one) throws Exception {
    ComputeReply reply = stub.withDeadlineAfter(20, TimeUnit.SECONDS).compute(request(one));
    JsonObject expect = one.getAsJsonObject("expect");
    if (expect.has("tip_frame")) {
      check(reply.getEcho().getTipFrame().equals(expect.get("tip_frame").getAsString()), "tip");
    }
    return List.of(new Part(reply.getResults(), reply.getRowStatusList(), reply.getRowsNotOk()));
  }

  static List<Part> stream(DynamicsGrpc.DynamicsStub stub, JsonObject one) throws Exception {
    List<Part> parts = new ArrayList<>();
    CompletableFuture<List<Part>> done = new CompletableFuture<>();
    var requests =
        stub.withDeadlineAfter(20, TimeUnit.SECONDS)
            .evaluate(
                new StreamObserver<EvaluateReply>() {
                  public void onNext(EvaluateReply reply) {
                    parts.add(
                        new Part(
                            reply.getResults(), reply.getRowStatusList(), reply.getRowsNotOk()));
                  }

                  public void onError(Throwable failure) {
                    done.completeExceptionally(failure);
                  }

                  public void onCompleted() {
                    done.complete(parts);
                  }
                });
    requests.onNext(EvaluateRequest.newBuilder().setStart(start(one)).build());
    int total = 1;
    for (var entry : one.getAsJsonObject("states").entrySet()) {
      total = Math.max(total, entry.getValue().getAsJsonArray().size());
    }
    // Rows that differ in number must meet in one chunk.
    JsonObject error = one.getAsJsonObject("expect").getAsJsonObject("error");
    boolean whole =
        error != null && error.get("reason").getAsString().equals("WRONG_ROW_COUNT");
    int step = whole ? total : 2;
    for (int row = 0; row < total; row += step) {
      requests.onNext(EvaluateRequest.newBuilder().setChunk(chunk(one, row, row + step)).build());
    }
    requests.onCompleted();
    try {
      return done.get(20, TimeUnit.SECONDS);
    } catch (java.util.concurrent.ExecutionException failure) {
      throw (Exception) failure.getCause();
    }
  }

  // --- Comparing ------------------------------------------------------------

  static void checkError(Throwable failure, JsonObject expected, boolean inStream)
      throws Exception {
    Status status = Status.fromThrowable(failure);
    Metadata trailers = Status.trailersFromThrowable(failure);
    check(trailers != null && trailers.get(DETAILS) != null, failure);
    Errors.ErrorInfo info = null;
    String field = "";
    for (Any detail : Errors.Status.parseFrom(trailers.get(DETAILS)).getDetailsList()) {
      if (detail.getTypeUrl().endsWith("/google.rpc.ErrorInfo")) {
        info = Errors.ErrorInfo.parseFrom(detail.getValue());
      } else if (detail.getTypeUrl().endsWith("/google.rpc.BadRequest")) {
        field = Errors.BadRequest.parseFrom(detail.getValue()).getFieldViolations(0).getField();
      }
    }
    check(status.getCode().name().equals(expected.get("code").getAsString()), failure);
    check(info.getReason().equals(expected.get("reason").getAsString()), failure);
    if (expected.has("field")) {
      String plain = expected.get("field").getAsString();
      String part = plain.replace(WRENCH + ".wrench", WRENCH);
      check(
          field.equals(plain)
              || inStream && (field.equals("start." + part) || field.equals("chunk." + part)),
          "field " + field);
    }
    for (String key : List.of("row", "joint")) {
      if (!expected.has(key)) continue;
      check(expected.get(key).getAsString().equals(info.getMetadataMap().get(key)), key);
    }
  }

  static void checkRow(String name, JsonArray expected, double[] got, double tolerance)
      throws Wrong {
    check(expected.size() == got.length, name + " has " + got.length + " columns");
    double scale = 1;
    for (JsonElement x : expected) {
      if (!Double.isNaN(number(x))) scale = Math.max(scale, Math.abs(number(x)));
    }
    for (int k = 0; k < got.length; ++k) {
      double wanted = number(expected.get(k));
      boolean same =
          Double.isNaN(wanted)
              ? Double.isNaN(got[k])
              : Math.abs(got[k] - wanted) <= tolerance * scale;
      check(same, name + " is " + got[k] + ", not " + wanted);
    }
  }

  static void checkResult(List<Part> parts, String name, JsonArray rows, double tolerance)
      throws Wrong {
    var field = Results.getDescriptor().findFieldByName(name);
    int row = 0;
    for (Part part : parts) {
      if (field.isRepeated()) {
        for (Object value : (List<?>) part.results().getField(field)) {
          JsonElement wanted = rows.get(row++);
          if (value instanceof EnumValueDescriptor rule) {
            check(rule.getName().equals("TASK_RULE_" + wanted.getAsString()), rule.getName());
          } else {
            JsonArray one = new JsonArray();
            one.add(wanted);
            checkRow(name, one, new double[] {((Number) value).doubleValue()}, tolerance);
          }
        }
      } else {
        Array array = (Array) part.results().getField(field);
        var numbers =
            array.getF64().asReadOnlyByteBuffer().order(ByteOrder.LITTLE_ENDIAN).asDoubleBuffer();
        double[] got = new double[array.getColumns()];
        while (numbers.hasRemaining()) {
          numbers.get(got);
          checkRow(name, rows.get(row++).getAsJsonArray(), got, tolerance);
        }
      }
    }
    check(row == rows.size(), name + " has " + row + " rows");
  }

  static void checkAnswer(List<Part> parts, JsonObject expect) throws Wrong {
    double tolerance = expect.has("tolerance") ? expect.get("tolerance").getAsDouble() : 1e-10;
    for (var result : expect.getAsJsonObject("results").entrySet()) {
      checkResult(parts, result.getKey(), result.getValue().getAsJsonArray(), tolerance);
    }
    JsonArray wanted =
        expect.has("row_status") ? expect.getAsJsonArray("row_status") : new JsonArray();
    List<RowStatus> got = new ArrayList<>();
    long notOk = 0;
    for (Part part : parts) {
      got.addAll(part.rows());
      notOk += part.notOk();
    }
    check(got.size() == wanted.size() && notOk == wanted.size(), notOk + " rows are not OK");
    for (int k = 0; k < got.size(); ++k) {
      JsonObject status = wanted.get(k).getAsJsonObject();
      RowStatus row = got.get(k);
      check(row.getRow() == status.get("row").getAsLong(), row);
      check(row.getCode().name().equals("ROW_CODE_" + status.get("code").getAsString()), row);
      for (String key : List.of("field", "joint")) {
        Object value = row.getField(RowStatus.getDescriptor().findFieldByName(key));
        check(!status.has(key) || value.equals(status.get(key).getAsString()), row);
      }
      if (status.has("value")) {
        check(Double.compare(row.getValue(), number(status.get("value"))) == 0, row);
      }
    }
  }

  interface Asking {
    List<Part> ask() throws Exception;
  }

  static int failed = 0;

  static void run(String name, JsonObject expect, boolean inStream, Asking asking) {
    try {
      List<Part> parts;
      try {
        parts = asking.ask();
      } catch (io.grpc.StatusRuntimeException failure) {
        if (!expect.has("error")) throw failure;
        checkError(failure, expect.getAsJsonObject("error"), inStream);
        return;
      }
      check(!expect.has("error"), "there is no error");
      checkAnswer(parts, expect);
    } catch (Exception wrong) {
      ++failed;
      String what = wrong.toString().replace('\n', ' ');
      System.out.println(name + (inStream ? " (stream): " : ": ") + what);
    }
  }

  public static void main(String[] arguments) throws Exception {
    JsonObject suite =
        JsonParser.parseString(Files.readString(Path.of(arguments[1]))).getAsJsonObject();
    ManagedChannel channel =
        ManagedChannelBuilder.forTarget(arguments[0]).usePlaintext().build();
    try {
      var registry = ModelRegistryGrpc.newBlockingStub(channel);
      for (var model : suite.getAsJsonObject("models").entrySet()) {
        Path path = Path.of(arguments[2], model.getValue().getAsString());
        registry.registerModel(
            RegisterModelRequest.newBuilder()
                .setName(model.getKey())
                .setSource(ByteString.copyFrom(Files.readAllBytes(path)))
                .build());
      }
      int asked = 0;
      for (JsonElement element : suite.getAsJsonArray("cases")) {
        JsonObject one = element.getAsJsonObject();
        String name = one.get("name").getAsString();
        JsonObject expect = one.getAsJsonObject("expect");
        ++asked;
        if (one.has("register")) {
          JsonObject words = one.getAsJsonObject("register");
          RegisterModelRequest.Builder request =
              RegisterModelRequest.newBuilder()
                  .setName(words.get("name").getAsString())
                  .setSource(ByteString.copyFromUtf8(words.get("urdf").getAsString()));
          if (words.has("expected_current")) {
            request.setExpectedCurrent(words.get("expected_current").getAsString());
          }
          run(
              name,
              expect,
              false,
              () -> {
                registry.registerModel(request.build());
                return List.of();
              });
          continue;
        }
        run(name, expect, false, () -> call(DynamicsGrpc.newBlockingStub(channel), one));
        run(name, expect, true, () -> stream(DynamicsGrpc.newStub(channel), one));
      }
      System.out.println(asked + " cases, " + failed + " wrong");
    } finally {
      channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
    }
    System.exit(failed == 0 ? 0 : 1);
  }
}
