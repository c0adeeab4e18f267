# frozen_string_literal: true

require "json"
require "time"

# Types with the members of the contract, which `appreceipt schema verify` and `appreceipt schema eligibility` describe. They are
# frozen. Dates are Times in UTC, binary values are hexadecimal, and absent values are nil.
module AppReceipt
  DATES = %w[
    verified_at not_before not_after receipt_creation_date original_purchase_date expiration_date purchase_date expires_date
    cancellation_date as_of evidence_date since until
  ].freeze
  private_constant :DATES

  # Returns a type that ignores members of later versions.
  def self.type(*members)
    Struct.new(*members, keyword_init: true) do
      define_singleton_method(:of) do |values|
        known = values.slice(*members.map(&:to_s))
        new(**known.to_h { |name, value| [name.to_sym, AppReceipt.typed(name, value)] }).freeze
      end
    end
  end
  private_class_method :type

  Certificate = type(:subject, :issuer, :serial, :not_before, :not_after, :sha256)
  Signature = type(:digest, :algorithm, :verified_at, :chain)
  # What revocation lists show about the certificates: not_checked, good or no_information.
  Revocation = type(:status, :as_of, :caveats)
  UnknownAttribute = type(:type, :version, :value)
  Purchase = type(
    :quantity, :product_id, :product_type, :transaction_id, :original_transaction_id, :purchase_date, :original_purchase_date,
    :expires_date, :cancellation_date, :cancellation_reason, :is_trial_period, :is_in_intro_offer_period,
    :promotional_offer_identifier, :web_order_line_item_id, :subscription_group_identifier, :unknown
  )
  Receipt = type(
    :receipt_type, :bundle_id, :application_version, :original_application_version, :receipt_creation_date,
    :original_purchase_date, :expiration_date, :app_item_id, :download_id, :version_external_identifier, :opaque_value,
    :sha1_hash, :in_app, :unknown
  )
  Offer = type(
    :outcome, :rule, :certainty, :configured, :transactions, :explanation, :findings, :caveats, :offers
  )
  Subscription = type(:state, :product_id, :since, :until)
  Verdict = type(
    :product_id, :subscription_group, :as_of, :evidence_date, :introductory_offer, :promotional_offer, :win_back_offer,
    :subscription, :sources
  )
  # The verdicts, the refused evidence that the verdicts leave out, and the library's answer.
  Verdicts = type(:verdicts, :refusals, :json)
  # A refused object. Its index is in evidence or renewal_info, and the other is nil.
  RefusedEvidence = type(:evidence, :renewal_info, :path, :refusal)

  # A genuine object. `receipt` is nil unless `kind` is "receipt". `members` has the signed members under Apple's names, and is
  # nil if `kind` is "receipt". `path` is nil for the whole input. `json` is the line of `appreceipt verify --json`.
  SignedObject = type(
    :kind, :format, :sha256, :content_sha256, :realm, :environment, :signature, :revocation, :receipt, :in_app, :caveats, :members,
    :path, :json
  )
  class SignedObject
    # Returns a signed member that is a date, for example "signedDate", as a Time in UTC.
    def date(member)
      milliseconds = members&.[](member)
      Time.at(0, milliseconds.floor, :millisecond).utc if milliseconds.is_a?(Numeric)
    end
  end

  TYPES = {
    "signature" => Signature, "revocation" => Revocation, "chain" => Certificate, "receipt" => Receipt, "in_app" => Purchase, "unknown" => UnknownAttribute,
    "introductory_offer" => Offer, "promotional_offer" => Offer, "win_back_offer" => Offer, "subscription" => Subscription,
    "verdicts" => Verdict
  }.freeze
  private_constant :TYPES

  # Returns a member of the contract with Ruby's types.
  def self.typed(name, value)
    case value
    when Array then value.map { |each| typed(name, each) }.freeze
    when Hash then TYPES.key?(name) ? TYPES[name].of(value) : value
    when String then DATES.include?(name) ? Time.iso8601(value).freeze : value
    else value
    end
  end

  # Returns parsed JSON, frozen. Signed members may be nested deeper than Ruby's default limit.
  def self.parse(text) = JSON.parse(text, max_nesting: false, freeze: true)

  # Returns the results in an answer.
  def self.results(answer)
    parsed = parse(answer)["results"]
    lines = split(answer, parsed.size)
    parsed.zip(lines).map { |line, text| result(line, text) }
  end

  def self.result(line, text)
    path = line["source"][2..]
    if line["status"] == "refused"
      return Refused.new(line["refusal"], path: path, sha256: line["sha256"], format: line["format"])
    end

    kind = line.fetch("kind", "receipt")
    SignedObject.of(line.merge("kind" => kind, "members" => (line[kind] if kind != "receipt"), "path" => path, "json" => text))
  end

  # Returns the text of each result in an answer.
  def self.split(answer, count)
    return [answer[12...-2].freeze] if count == 1 # between {"results":[ and ]}

    bytes, lines, depth, start, place, in_string = answer.b, [], 0, 0, 0, false
    while (place = bytes.index(/[\\"{}]/n, place))
      case bytes[place]
      when "\\" then place += 1
      when '"' then in_string = !in_string
      when "{" then start = place if !in_string && (depth += 1) == 2
      else lines << bytes[start..place].force_encoding("UTF-8").freeze if !in_string && (depth -= 1) == 1
      end
      place += 1
    end
    lines
  end
  private_class_method :result, :split
end
