# frozen_string_literal: true

require "minitest/autorun"
require "timeout"
require "appreceipt"

class VerifierTest < Minitest::Test
  ANY = { bundle_ids: "any", environment: "any" }.freeze

  def fixture(path) = File.binread(File.join(__dir__, "../../../../Fixtures", path))

  # Returns a verifier that trusts the authority of Fixtures.
  def trusting(**settings) = AppReceipt::Verifier.new(**ANY, roots: [fixture("roots/root.cer")], **settings)

  def receipt = fixture("receipts/never-subscribed.der")

  def test_invalid_settings_are_errors
    [
      [{ environment: nil }, /environment/], [{ environment: [] }, /must not be empty/], [{ environment: "prod" }, /environment/],
      [{ device_id: nil }, /device_id/], [{ device_id: "" }, /device_id/], [{ app_apple_id: [] }, /app_apple_id/],
      [{ roots: [] }, /roots/], [{ roots: nil }, /roots/], [{ roots: ["no certificate"] }, /roots\[0\]/],
      [{ limits: { checks: 1 } }, /checks/], [{ bundle_id: "a.b" }, /bundle_id/]
    ].each do |change, message|
      error = assert_raises(AppReceipt::Error) { AppReceipt::Verifier.new(**ANY, **change) }
      assert_equal "bad_settings", error.code
      assert_match message, error.message
      refute_predicate error, :transient?
    end
    assert_raises(ArgumentError) { AppReceipt::Verifier.new(bundle_ids: "any") }
    assert_raises(TypeError) { AppReceipt::Verifier.new(**ANY, roots: "root") }
  end

  def test_invalid_json_is_an_error
    [
      [{ catalog: "{groups:}" }, /catalog: must be JSON/], [{ catalog: "" }, /catalog: must be JSON/], [{ catalog: "5" }, /catalog/],
      [{ catalog: "[" * 200 }, /catalog: must be JSON/], [{ catalog: "{\"groups\": {\"a\": [\"b\xFF\"]}}".b }, /catalog.groups.a\[0\].*not UTF-8/],
      [{ catalog: { groups: { "a" => ["b\xFF"] } } }, /catalog: must be JSON/], [{ catalog: { a: Float::NAN } }, /catalog: must be JSON/]
    ].each do |change, message|
      { "bad_settings" => -> { trusting(**change) }, "bad_request" => -> { trusting.eligibility([receipt], **change) } }.each do |code, call|
        error = assert_raises(AppReceipt::Error, &call)
        assert_equal code, error.code
        assert_match message, error.message
      end
    end
    assert_match(/bundle_ids: must be JSON/, assert_raises(AppReceipt::Error) { trusting(bundle_ids: "a\xFF") }.message)
  end

  # Without a locale, Ruby reads files as US-ASCII.
  def test_catalogs_in_any_encoding_of_the_text
    text = "\uFEFF{\"groups\": {\"ä\": [\"b\"]}}"
    [text, text.b, text.dup.force_encoding("US-ASCII")].each { |catalog| trusting(catalog: catalog).close }
  end

  def test_settings_apply
    [
      [{ bundle_ids: ["com.example.other"] }, "wrong_bundle_id"], [{ environment: %w[sandbox xcode] }, "wrong_environment"],
      [{ distrust: { certificates: [{ serial: "7e570001" }] } }, "revoked"],
      [{ device_id: "00" * 16 }, "wrong_device"], [{ limits: { certificates: 2 } }, "too_large"]
    ].each do |change, code|
      refused = assert_raises(AppReceipt::Refused) { trusting(**change).verify(receipt) }
      assert_equal code, refused.code
      refute_predicate refused, :transient?
    end
    assert_equal "custom", trusting.verify(receipt).realm
  end

  def test_results_are_frozen
    object = trusting.verify(fixture("jws/transaction.jws"))
    assert_raises(FrozenError) { object.kind = "receipt" }
    assert_raises(FrozenError) { object.members["productId"] = "other" }
    assert_raises(FrozenError) { object.signature.chain.clear }
    assert_equal Time.at(1_770_019_200, 250, :millisecond).utc, object.date("signedDate")
    assert_nil object.date("productId")
  end

  def test_several_objects_are_not_one
    assert_equal "not_one_object", assert_raises(AppReceipt::Error) { trusting.verify(fixture("jws/history.json")) }.code
  end

  def test_other_types_are_errors
    assert_raises(TypeError) { trusting.verify(nil) }
    assert_raises(TypeError) { trusting.eligibility(receipt) }
    [nil, 5, [1]].each { |request| assert_raises(TypeError) { trusting.verify_receipt_answer(request) } }
  end

  # Tests/Languages/counted.c returns APPRECEIPT_UNAVAILABLE for this input.
  def test_unavailable_is_transient
    skip "COUNTS is not set; run Tests/Languages/run" unless ENV["COUNTS"]

    error = assert_raises(AppReceipt::Error) { trusting.verify("unavailable") }
    assert_equal "unavailable", error.code
    assert_predicate error, :transient?
  end

  def test_verify_receipt_answer
    assert_equal 21_002, trusting.verify_receipt_answer("receipt-data" => "AA==")["status"]
  end

  # Calls in other threads end before a verifier is closed, and never use a closed one.
  def test_closing_waits_for_calls
    20.times do
      verifier, data, began = trusting, receipt, Queue.new
      threads = Array.new(4) do
        Thread.new do
          verifier.verify(data)
          began << true
          loop { verifier.verify(data) }
        rescue AppReceipt::Error => error
          error.code
        end
      end
      4.times { began.pop }
      2.times { verifier.close }
      assert_equal ["closed"] * 4, threads.map(&:value)
    end
  end

  # Tests/Languages/run counts the answers and verifiers.
  def test_interrupted_calls_free_their_answers
    verifier, data = trusting, receipt
    50.times do |round|
      thread = Thread.new { loop { verifier.verify(data) } }
      sleep 0.0005 * (round % 7)
      thread.kill.join
      assert_raises(Timeout::Error) { Timeout.timeout(0.003) { loop { trusting.verify(data) } } }
    end
    assert_equal "custom", verifier.verify(data).realm
    verifier.close
  end

  def test_verifies_after_a_fork
    verifier = trusting
    child = fork { exit!(verifier.verify(receipt).realm == "custom") }
    assert Process.wait2(child)[1].success?
  end
end
