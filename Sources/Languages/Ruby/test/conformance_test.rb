# frozen_string_literal: true

require "json"
require "minitest/autorun"
require "appreceipt"

# Writes the answers to the cases of Tests/Languages/run, which compares them.
class ConformanceTest < Minitest::Test
  def test_cases
    skip "CASES is not set; run Tests/Languages/run" unless ENV["CASES"]

    File.open(ENV.fetch("ANSWERS"), "w") do |answers|
      File.foreach(ENV["CASES"]) do |line|
        given = JSON.parse(line, symbolize_names: true)
        AppReceipt::Verifier.new(**given[:settings]) do |verifier|
          answers.puts(JSON.generate(given[:input] ? verified(verifier, given[:input]) : determined(verifier, **given)))
        end
      end
    end
  end

  def verified(verifier, path)
    data = File.binread(path)
    one = begin
      verifier.verify(data)
    rescue AppReceipt::Error => error
      error
    end
    { answer: verifier.answer(data), results: verifier.verify_all(data).map { |each| plain(each) }, one: plain(one) }
  end

  def determined(verifier, settings:, evidence:, renewals: nil, unsigned: nil, catalog: nil, as_of: nil, **options)
    options[:renewal_info] = renewals.map { |path| File.binread(path) } if renewals
    options[:unsigned_renewal_info] = unsigned.map { |text| JSON.parse(text) } if unsigned
    options[:catalog] = File.read(catalog) if catalog
    options[:as_of] = Time.iso8601(as_of) if as_of
    found = verifier.eligibility(evidence.map { |path| File.binread(path) }, **options)
    { answer: found.json, verdicts: plain(found.verdicts), refusals: plain(found.refusals) }
  rescue AppReceipt::EvidenceRefused => error
    { error: { code: error.code }, refusals: plain(error.refusals) }
  end

  # Returns the members of the contract.
  def plain(value)
    case value
    when AppReceipt::SignedObject
      plain(value.to_h).merge(value.kind == "receipt" ? {} : { value.kind.to_sym => value.members })
    when AppReceipt::Refused
      { refusal: { code: value.code, message: value.message, offset: value.offset, field: value.field },
        path: value.path, sha256: value.sha256, format: value.format }
    when AppReceipt::RefusedEvidence then value.to_h.merge(plain(value.refusal)) { |name, old, new| name == :path ? old : new }
    when AppReceipt::Error then { refusal: { code: value.code, message: value.message } }
    when Struct then plain(value.to_h)
    when Hash then value.to_h { |name, each| [name, plain(each)] }
    when Array then value.map { |each| plain(each) }
    when Time then value.iso8601(3)
    else value
    end
  end
end
