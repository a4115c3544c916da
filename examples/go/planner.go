package main

import (
	"bytes"
	"context"
	"encoding/binary"
	"fmt"
	"os"
	"strings"
	"time"

	"example.com/planner/torquedv1"
	"google.golang.org/genproto/googleapis/rpc/errdetails"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
)

// The code, and the name of the enum Reason if the failure came from the service.
func printFailure(failure error) {
	reason := ""
	for _, detail := range status.Convert(failure).Details() {
		if info, ok := detail.(*errdetails.ErrorInfo); ok {
			reason = info.Reason
		}
	}
	fmt.Println(status.Code(failure), reason)
}

func torques(dynamics torquedv1.DynamicsClient, model string, q []float64) ([]float64, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	// One row per state, as little-endian doubles.
	var rows bytes.Buffer
	binary.Write(&rows, binary.LittleEndian, q)
	reply, err := dynamics.Compute(ctx, &torquedv1.ComputeRequest{
		Model:      model,
		Quantities: []torquedv1.Quantity{torquedv1.Quantity_QUANTITY_INVERSE_DYNAMICS},
		Q:          &torquedv1.Array{Columns: 7, F64: rows.Bytes()},
	})
	tau := make([]float64, len(q))
	if err == nil {
		err = binary.Read(bytes.NewReader(reply.Results.Tau.F64), binary.LittleEndian, tau)
	}
	return tau, err
}

func main() {
	connection, _ := grpc.Dial(os.Args[1], grpc.WithInsecure(),
		grpc.WithDefaultCallOptions(grpc.MaxCallRecvMsgSize(64<<20)))
	q := []float64{0, -0.5, 0, -2, 0, 1.5, 0.7, 0.1, 0.2, 0.3, -1, 0.5, 0.6, 0.7}
	for _, model := range []string{"panda", "nobody"} {
		tau, err := torques(torquedv1.NewDynamicsClient(connection), model, q)
		for row := 0; err == nil && row < len(tau); row += 7 {
			fmt.Println(strings.Trim(fmt.Sprint(tau[row:row+7]), "[]"))
		}
		if err != nil {
			printFailure(err)
		}
	}
}
