// The cases of tests/conformance on Go's stubs, in one call and through a stream.
//
// Usage: conformance ADDRESS CASES MODELS   prints what is wrong, case by case,
// and how many were asked
package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"example.com/planner/torquedv1"
	"google.golang.org/grpc"
	"google.golang.org/grpc/status"
	"google.golang.org/protobuf/encoding/protojson"
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"
)

const wrench = "tip_wrench_on_environment"
const wrenchFrame = "tip_wrench_reference_frame"

var prefixes = map[string]string{
	"quantities":      "QUANTITY_",
	"reference_frame": "REFERENCE_FRAME_",
	wrenchFrame:       "REFERENCE_FRAME_",
	"precision":       "PRECISION_",
	"axes":            "TASK_AXIS_",
	"singularity":     "SINGULARITY_RULE_",
}

type object = map[string]interface{}
type list = []interface{}

// Part of an answer: a whole reply, or that to a chunk.
type part struct {
	results *torquedv1.Results
	rows    []*torquedv1.RowStatus
	notOk   uint64
}

func check(holds bool, format string, what ...interface{}) error {
	if holds {
		return nil
	}
	return fmt.Errorf(format, what...)
}

// --- From JSON --------------------------------------------------------------

// With the names of enums as protobuf has them.
func prefixed(key string, value interface{}) interface{} {
	switch value := value.(type) {
	case object:
		result := object{}
		for inner, entry := range value {
			result[inner] = prefixed(inner, entry)
		}
		return result
	case list:
		result := list{}
		for _, element := range value {
			result = append(result, prefixed(key, element))
		}
		return result
	case string:
		return prefixes[key] + value
	}
	return value
}

// Numbers that JSON does not have are null or words.
func number(value interface{}) float64 {
	switch value := value.(type) {
	case float64:
		return value
	case string:
		parsed, err := strconv.ParseFloat(value, 64)
		if err != nil {
			log.Fatal(err)
		}
		return parsed
	}
	return math.NaN()
}

// Rows [first, end) of a table; all of one that has a single row.
func rows(table list, first, end int) *torquedv1.Array {
	if end > len(table) {
		end = len(table)
	}
	if first > end {
		first = end
	}
	if len(table) == 1 {
		first, end = 0, 1
	}
	array := &torquedv1.Array{Columns: uint32(len(table[0].(list)))}
	for _, row := range table[first:end] {
		for _, x := range row.(list) {
			var bytes [8]byte
			binary.LittleEndian.PutUint64(bytes[:], math.Float64bits(number(x)))
			array.F64 = append(array.F64, bytes[:]...)
		}
	}
	return array
}

func merge(words interface{}, message proto.Message) error {
	text, err := json.Marshal(words)
	if err != nil {
		return err
	}
	return protojson.Unmarshal(text, message)
}

func words(one object) object {
	said := object{}
	for _, key := range []string{"model", "quantities", "options", "operational_space"} {
		if value, has := one[key]; has {
			said[key] = prefixed(key, value)
		}
	}
	return said
}

func setArray(message proto.Message, name string, array *torquedv1.Array) {
	reflected := message.ProtoReflect()
	field := reflected.Descriptor().Fields().ByName(protoreflect.Name(name))
	reflected.Set(field, protoreflect.ValueOfMessage(array.ProtoReflect()))
}

func request(one object) (*torquedv1.ComputeRequest, error) {
	said := words(one)
	if frame, has := one[wrenchFrame]; has {
		said[wrench] = object{"reference_frame": prefixed(wrenchFrame, frame)}
	}
	message := &torquedv1.ComputeRequest{}
	if err := merge(said, message); err != nil {
		return nil, err
	}
	for name, table := range one["states"].(object) {
		array := rows(table.(list), 0, math.MaxInt32)
		if name != wrench {
			setArray(message, name, array)
			continue
		}
		if message.TipWrenchOnEnvironment == nil {
			message.TipWrenchOnEnvironment = &torquedv1.TipWrench{}
		}
		message.TipWrenchOnEnvironment.Wrench = array
	}
	return message, nil
}

func start(one object) (*torquedv1.EvaluateStart, error) {
	said := words(one)
	if frame, has := one[wrenchFrame]; has {
		said[wrenchFrame] = prefixed(wrenchFrame, frame)
	}
	message := &torquedv1.EvaluateStart{}
	return message, merge(said, message)
}

// --- Asking -----------------------------------------------------------------

func deadline() (context.Context, context.CancelFunc) {
	return context.WithTimeout(context.Background(), 20*time.Second)
}

func call(dynamics torquedv1.DynamicsClient, one object) ([]part, error) {
	ctx, cancel := deadline()
	defer cancel()
	message, err := request(one)
	if err != nil {
		return nil, err
	}
	reply, err := dynamics.Compute(ctx, message)
	if err != nil {
		return nil, err
	}
	if tip, has := one["expect"].(object)["tip_frame"]; has && reply.Echo.TipFrame != tip {
		return nil, fmt.Errorf("tip %q", reply.Echo.TipFrame)
	}
	return []part{{reply.Results, reply.RowStatus, uint64(reply.RowsNotOk)}}, nil
}

func send(stream torquedv1.Dynamics_EvaluateClient, one object, first *torquedv1.EvaluateStart) {
	stream.Send(&torquedv1.EvaluateRequest{Start: first})
	states := one["states"].(object)
	total := 1
	for _, table := range states {
		if len(table.(list)) > total {
			total = len(table.(list))
		}
	}
	step := 2
	// Rows that differ in number must meet in one chunk.
	if wrong, has := one["expect"].(object)["error"]; has &&
		wrong.(object)["reason"] == "WRONG_ROW_COUNT" {
		step = total
	}
	for row := 0; row < total; row += step {
		chunk := &torquedv1.EvaluateChunk{}
		for name, table := range states {
			setArray(chunk, name, rows(table.(list), row, row+step))
		}
		// What went wrong is what the receiving end says.
		stream.Send(&torquedv1.EvaluateRequest{Chunk: chunk})
	}
	stream.CloseSend()
}

func stream(dynamics torquedv1.DynamicsClient, one object) ([]part, error) {
	ctx, cancel := deadline()
	defer cancel()
	first, err := start(one)
	if err != nil {
		return nil, err
	}
	stream, err := dynamics.Evaluate(ctx)
	if err != nil {
		return nil, err
	}
	go send(stream, one, first)
	parts := []part{}
	for {
		reply, err := stream.Recv()
		if err == io.EOF {
			return parts, nil
		}
		if err != nil {
			return nil, err
		}
		parts = append(parts,
			part{reply.Results, reply.RowStatus, uint64(reply.RowsNotOk)})
	}
}

// --- Comparing --------------------------------------------------------------

func checkError(failure error, expected object, inStream bool) error {
	of := status.Convert(failure)
	info, field := &torquedv1.ErrorInfo{}, ""
	for _, detail := range of.Proto().GetDetails() {
		if strings.HasSuffix(detail.TypeUrl, "/google.rpc.ErrorInfo") {
			if err := proto.Unmarshal(detail.Value, info); err != nil {
				return err
			}
		} else if strings.HasSuffix(detail.TypeUrl, "/google.rpc.BadRequest") {
			bad := &torquedv1.BadRequest{}
			if err := proto.Unmarshal(detail.Value, bad); err != nil {
				return err
			}
			field = bad.FieldViolations[0].Field
		}
	}
	code := strings.ReplaceAll(expected["code"].(string), "_", "")
	if !strings.EqualFold(code, of.Code().String()) || info.Reason != expected["reason"] {
		return failure
	}
	if plain, has := expected["field"].(string); has {
		inPart := strings.Replace(plain, wrench+".wrench", wrench, 1)
		same := field == plain ||
			inStream && (field == "start."+inPart || field == "chunk."+inPart)
		if !same {
			return fmt.Errorf("field %s", field)
		}
	}
	for _, key := range []string{"row", "joint"} {
		if value, has := expected[key]; has && fmt.Sprint(value) != info.Metadata[key] {
			return fmt.Errorf("%s %s", key, info.Metadata[key])
		}
	}
	return nil
}

func checkRow(name string, expected list, got []float64, tolerance float64) error {
	if len(expected) != len(got) {
		return fmt.Errorf("%s has %d columns", name, len(got))
	}
	scale := 1.0
	for _, x := range expected {
		if wanted := number(x); !math.IsNaN(wanted) {
			scale = math.Max(scale, math.Abs(wanted))
		}
	}
	for k, x := range expected {
		wanted := number(x)
		same := math.Abs(got[k]-wanted) <= tolerance*scale
		if math.IsNaN(wanted) {
			same = math.IsNaN(got[k])
		}
		if !same {
			return fmt.Errorf("%s is %v, not %v", name, got[k], wanted)
		}
	}
	return nil
}

// What stands in one of a list's places: a number, or a rule's name.
func checkElement(name string, field protoreflect.FieldDescriptor, value protoreflect.Value,
	wanted interface{}, tolerance float64) error {
	switch got := value.Interface().(type) {
	case protoreflect.EnumNumber:
		rule := field.Enum().Values().ByNumber(got).Name()
		return check(string(rule) == "TASK_RULE_"+wanted.(string), "%s is %s", name, rule)
	case float64:
		return checkRow(name, list{wanted}, []float64{got}, tolerance)
	case uint32:
		return checkRow(name, list{wanted}, []float64{float64(got)}, tolerance)
	}
	return fmt.Errorf("%s is %v", name, value)
}

func checkResult(parts []part, name string, expected list, tolerance float64) error {
	row := 0
	next := func() interface{} {
		row++
		if row > len(expected) {
			return nil
		}
		return expected[row-1]
	}
	for _, part := range parts {
		reflected := part.results.ProtoReflect()
		field := reflected.Descriptor().Fields().ByName(protoreflect.Name(name))
		if field.IsList() {
			values := reflected.Get(field).List()
			for k := 0; k < values.Len(); k++ {
				err := checkElement(name, field, values.Get(k), next(), tolerance)
				if err != nil {
					return err
				}
			}
			continue
		}
		array := reflected.Get(field).Message().Interface().(*torquedv1.Array)
		got := make([]float64, array.Columns)
		for at := 0; at < len(array.F64); at += 8 * len(got) {
			for k := range got {
				got[k] = math.Float64frombits(
					binary.LittleEndian.Uint64(array.F64[at+8*k:]))
			}
			wanted, _ := next().(list)
			if err := checkRow(name, wanted, got, tolerance); err != nil {
				return err
			}
		}
	}
	return check(row == len(expected), "%s has %d rows", name, row)
}

func checkStatus(row *torquedv1.RowStatus, expected object) error {
	same := float64(row.Row) == expected["row"] &&
		row.Code.String() == "ROW_CODE_"+expected["code"].(string)
	if field, has := expected["field"]; has {
		same = same && row.Field == field
	}
	if joint, has := expected["joint"]; has {
		same = same && row.Joint == joint
	}
	if value, has := expected["value"]; has {
		wanted := number(value)
		same = same && (row.Value == wanted || math.IsNaN(row.Value) && math.IsNaN(wanted))
	}
	return check(same, "row status %v", row)
}

func checkAnswer(parts []part, expect object) error {
	tolerance, has := expect["tolerance"].(float64)
	if !has {
		tolerance = 1e-10
	}
	for name, wanted := range expect["results"].(object) {
		if err := checkResult(parts, name, wanted.(list), tolerance); err != nil {
			return err
		}
	}
	wanted, _ := expect["row_status"].(list)
	got, notOk := []*torquedv1.RowStatus{}, uint64(0)
	for _, part := range parts {
		got = append(got, part.rows...)
		notOk += part.notOk
	}
	if len(got) != len(wanted) || notOk != uint64(len(wanted)) {
		return fmt.Errorf("%d rows are not OK", notOk)
	}
	for k, row := range got {
		if err := checkStatus(row, wanted[k].(object)); err != nil {
			return err
		}
	}
	return nil
}

func checkCase(expect object, inStream bool, ask func() ([]part, error)) error {
	parts, err := ask()
	expected, fails := expect["error"].(object)
	if err != nil {
		if _, answered := status.FromError(err); !fails || !answered {
			return err
		}
		return checkError(err, expected, inStream)
	}
	if fails {
		return fmt.Errorf("there is no error")
	}
	return checkAnswer(parts, expect)
}

func read(path string, into interface{}) {
	text, err := os.ReadFile(path)
	if err != nil {
		log.Fatal(err)
	}
	if err := json.Unmarshal(text, into); err != nil {
		log.Fatal(err)
	}
}

func register(registry torquedv1.ModelRegistryClient, request *torquedv1.RegisterModelRequest) error {
	ctx, cancel := deadline()
	defer cancel()
	_, err := registry.RegisterModel(ctx, request)
	return err
}

func main() {
	var suite struct {
		Models map[string]string
		Cases  []object
	}
	read(os.Args[2], &suite)
	connection, err := grpc.Dial(os.Args[1], grpc.WithInsecure())
	if err != nil {
		log.Fatal(err)
	}
	defer connection.Close()
	registry := torquedv1.NewModelRegistryClient(connection)
	dynamics := torquedv1.NewDynamicsClient(connection)
	for name, file := range suite.Models {
		source, err := os.ReadFile(filepath.Join(os.Args[3], file))
		if err != nil {
			log.Fatal(err)
		}
		if err := register(registry, &torquedv1.RegisterModelRequest{
			Name: name, Source: source}); err != nil {
			log.Fatal(err)
		}
	}
	failed := 0
	report := func(one object, inStream bool, ask func() ([]part, error)) {
		err := checkCase(one["expect"].(object), inStream, ask)
		if err == nil {
			return
		}
		failed++
		where := ""
		if inStream {
			where = " (stream)"
		}
		fmt.Printf("%v%s: %s\n", one["name"], where,
			strings.ReplaceAll(err.Error(), "\n", " "))
	}
	for _, one := range suite.Cases {
		one := one
		if model, has := one["register"].(object); has {
			request := &torquedv1.RegisterModelRequest{
				Name: model["name"].(string), Source: []byte(model["urdf"].(string))}
			if current, has := model["expected_current"].(string); has {
				request.ExpectedCurrent = &current
			}
			report(one, false, func() ([]part, error) {
				return nil, register(registry, request)
			})
			continue
		}
		report(one, false, func() ([]part, error) { return call(dynamics, one) })
		report(one, true, func() ([]part, error) { return stream(dynamics, one) })
	}
	fmt.Printf("%d cases, %d wrong\n", len(suite.Cases), failed)
	if failed != 0 {
		os.Exit(1)
	}
}
