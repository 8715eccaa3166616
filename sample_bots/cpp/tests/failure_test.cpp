#include "failure.h"

#include <gtest/gtest.h>

namespace {

TEST(FailureTest, OnlyFinalEndsAreFailures) {
  const auto exit_of = [](grpc::StatusCode code, const std::string& text, bool is_known, const std::string& details) {
    try {
      check_ending(grpc::Status(code, text, details), "here:1", is_known);
    } catch (const Failure& failure) {
      return static_cast<int>(failure.exit());
    }
    return 0;
  };
  EXPECT_EQ(exit_of(grpc::StatusCode::UNAUTHENTICATED, "revoked", true, "reason"), 77);
  EXPECT_EQ(exit_of(grpc::StatusCode::ABORTED, "replaced", true, "reason"), 75);
  EXPECT_EQ(exit_of(grpc::StatusCode::FAILED_PRECONDITION, "version 2", false, "reason"), 76);
  EXPECT_EQ(exit_of(grpc::StatusCode::UNAVAILABLE, "the server stops", true, "reason"), 0);
  EXPECT_EQ(exit_of(grpc::StatusCode::RESOURCE_EXHAUSTED, "too slow", true, "reason"), 0);
  EXPECT_EQ(exit_of(grpc::StatusCode::UNIMPLEMENTED, "a proxy answers", true, ""), 0);
  EXPECT_EQ(exit_of(grpc::StatusCode::UNAVAILABLE, "WRONG_VERSION_NUMBER", false, ""), 76);
  EXPECT_EQ(exit_of(grpc::StatusCode::UNAVAILABLE, "WRONG_VERSION_NUMBER", true, ""), 0);
  EXPECT_EQ(exit_of(grpc::StatusCode::UNAVAILABLE, "Connection refused", false, ""), 0);
}

TEST(FailureTest, ItsTextIsOneLine) {
  EXPECT_EQ(describe(grpc::Status(grpc::StatusCode::UNAVAILABLE, "two\nlines")), "two lines");
  EXPECT_NE(describe(grpc::Status::OK), "");
}

}  // namespace
