import com.google.protobuf.Any;
import com.google.protobuf.ByteString;
import io.grpc.ManagedChannel;
import io.grpc.ManagedChannelBuilder;
import io.grpc.Metadata;
import io.grpc.StatusRuntimeException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.DoubleBuffer;
import java.util.concurrent.TimeUnit;
import torqued.v1.ArrayOuterClass.Array;
import torqued.v1.DynamicsGrpc;
import torqued.v1.DynamicsOuterClass.ComputeRequest;
import torqued.v1.Errors;
import torqued.v1.QuantityOuterClass.Quantity;

public class Planner {
  // The name of the enum Reason; empty if the failure did not come from the service.
  static String reasonOf(StatusRuntimeException failure) throws Exception {
    byte[] bytes = failure.getTrailers() == null ? null : failure.getTrailers().get(
        Metadata.Key.of("grpc-status-details-bin", Metadata.BINARY_BYTE_MARSHALLER));
    if (bytes == null) return "";
    for (Any detail : Errors.Status.parseFrom(bytes).getDetailsList()) {
      if (detail.getTypeUrl().endsWith("/google.rpc.ErrorInfo")) {
        return Errors.ErrorInfo.parseFrom(detail.getValue()).getReason();
      }
    }
    return "";
  }

  static void torques(DynamicsGrpc.DynamicsBlockingStub dynamics, String model, double[] q) {
    // One row per state, as little-endian doubles.
    ByteBuffer bytes = ByteBuffer.allocate(8 * q.length).order(ByteOrder.LITTLE_ENDIAN);
    bytes.asDoubleBuffer().put(q);
    DoubleBuffer tau = dynamics.withDeadlineAfter(10, TimeUnit.SECONDS).compute(
        ComputeRequest.newBuilder().setModel(model)
            .addQuantities(Quantity.QUANTITY_INVERSE_DYNAMICS)
            .setQ(Array.newBuilder().setColumns(7).setF64(ByteString.copyFrom(bytes))).build())
        .getResults().getTau().getF64().asReadOnlyByteBuffer()
        .order(ByteOrder.LITTLE_ENDIAN).asDoubleBuffer();
    while (tau.hasRemaining()) {
      System.out.print(tau.get() + (tau.position() % 7 == 0 ? "\n" : " "));
    }
  }

  public static void main(String[] arguments) throws Exception {
    ManagedChannel channel = ManagedChannelBuilder.forTarget(arguments[0]).usePlaintext()
        .maxInboundMessageSize(64 << 20).build();
    double[] q = {0, -0.5, 0, -2, 0, 1.5, 0.7, 0.1, 0.2, 0.3, -1, 0.5, 0.6, 0.7};
    try {
      torques(DynamicsGrpc.newBlockingStub(channel), "panda", q);
      torques(DynamicsGrpc.newBlockingStub(channel), "nobody", q);
    } catch (StatusRuntimeException failure) {
      System.out.println(failure.getStatus().getCode() + " " + reasonOf(failure));
    }
    channel.shutdownNow().awaitTermination(5, TimeUnit.SECONDS);
  }
}
