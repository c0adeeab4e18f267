# frozen_string_literal: true

module AppReceipt
  # A verifier, which is created once and used from any thread. It verifies after a fork, too.
  class Verifier
    # Creates a verifier. Settings have the names of appreceipt.h: roots, storekit_test_roots, app_apple_id, device_id,
    # cross_check, sha1_signatures, crl, distrust, revocation, limits, catalog, policies, verify_receipt. nil is an error, so that
    # no mistake removes a check.
    #
    # bundle_ids::  the accepted app or apps, or "any"
    # environment:: "production", "sandbox", "xcode", several of them, or "any"
    #
    # Raises Error if a setting is missing or invalid.
    def initialize(bundle_ids:, environment:, **settings)
      given = settings.merge(bundle_ids: bundle_ids, environment: environment)
      %i[roots storekit_test_roots crl].each { |name| given[name] = texts(name, given[name]) if given[name] }
      @handle = Handle.new(json("bad_settings", given))
      return unless block_given?

      begin
        yield self
      ensure
        close
      end
    end

    # Releases the verifier's resources after calls in other threads end. Later calls raise Error with the code "closed".
    def close = @handle.close

    # Verifies one signed object: a receipt (DER, base64 or PEM), a compact JWS or a transaction receipt. Returns a SignedObject.
    #
    # Raises Refused, and Error with the code "not_one_object" unless there is exactly one.
    def verify(data)
      results = verify_all(data)
      raise Error.new("not_one_object", "#{results.size} signed objects, expected one; use verify_all") if results.size != 1

      results[0].is_a?(Refused) ? raise(results[0]) : results[0]
    end

    # Returns a SignedObject or Refused for every signed object of the data, in order.
    def verify_all(data) = AppReceipt.results(answer(data))

    # Returns the library's JSON answer: "results", each of which is a line of `appreceipt verify --json`.
    def answer(data) = @handle.call(:appreceipt_verify, data)

    # Determines the subscription offers that one customer can still get. Options have the names of appreceipt.h: renewal_info,
    # unsigned_renewal_info, products, as_of, catalog, single_group, refused_evidence. Returns Verdicts.
    #
    # Raises EvidenceRefused if evidence is refused or belongs to several apps or environments.
    def eligibility(evidence, **options)
      request = options.merge(evidence: texts(:evidence, evidence))
      request[:renewal_info] = texts(:renewal_info, request[:renewal_info]) if request[:renewal_info]
      request[:as_of] = request[:as_of].getutc.iso8601(3) if request[:as_of].respond_to?(:getutc)
      text = @handle.call(:appreceipt_eligibility, json("bad_request", request))
      answer = AppReceipt.parse(text)
      refusals = (answer["refusals"] || []).map { |each| RefusedEvidence.of(each.merge("refusal" => Refused.new(each["refusal"]))) }
      raise EvidenceRefused.new(answer["error"], refusals.freeze) unless answer["verdicts"]

      Verdicts.of("verdicts" => answer["verdicts"], "refusals" => refusals, "json" => text)
    end

    # Returns the answer of Apple's verifyReceipt to a request's body: JSON, or a Hash.
    def verify_receipt_answer(request)
      raise TypeError, "request: must be a String or a Hash, not #{request.class}" unless request.is_a?(String) || request.is_a?(Hash)

      body = request.is_a?(String) ? request : json("bad_request", request)
      JSON.parse(@handle.call(:appreceipt_verify_receipt_answer, body))
    end

    private

    # Returns JSON. Raises Error with the code and the member's name if a member cannot be JSON.
    def json(code, members)
      texts = members.map do |name, value|
        text = name == :catalog && value.is_a?(String) ? catalog(value) : JSON.generate(value)
        "#{JSON.generate(name.to_s)}:#{text}"
      rescue JSON::JSONError, EncodingError => error
        raise Error.new(code, "#{name}: must be JSON: #{error.message.scrub}")
      end
      "{#{texts.join(",")}}"
    end

    # Returns a catalog unparsed, so that the library refuses duplicate members. The encoding of a file's text depends on the locale.
    def catalog(text)
      text = text.dup.force_encoding("UTF-8").delete_prefix("\uFEFF")
      JSON.parse(text)
      text
    end

    # Returns text unchanged, and DER as base64. DER of more than 127 bytes is never UTF-8, because of its length bytes.
    def texts(name, inputs)
      raise TypeError, "#{name}: must be an Array of Strings, not #{inputs.class}" unless inputs.is_a?(Array) && inputs.all?(String)

      inputs.map { |input| (text = input.dup.force_encoding("UTF-8")).valid_encoding? ? text : [input].pack("m0") }
    end
  end
end
