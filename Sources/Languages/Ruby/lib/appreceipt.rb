# frozen_string_literal: true

# Verifies App Store receipts and signed transactions offline, in the process, with libappreceipt.
module AppReceipt
  # The base class of all errors. `code` is for programs. `transient?` states whether the same call may succeed later.
  class Error < StandardError
    attr_reader :code

    def initialize(code, message)
      super("#{code}: #{message}")
      @code = code
    end

    def transient? = code == "unavailable"
  end

  # An object that is not genuine, or does not conform to the settings. `verify` raises it, and `verify_all` returns it.
  class Refused < Error
    attr_reader :offset, :field, :path, :sha256, :format

    def initialize(refusal, path: nil, sha256: nil, format: nil)
      @offset, @field = refusal.values_at("offset", "field")
      @path, @sha256, @format = path, sha256, format
      place = "#{" at byte #{offset}" if offset}#{" (#{field})" if field}"
      super(refusal["code"], "#{refusal["message"]}#{place}")
    end
  end

  # There are no verdicts, because evidence is refused or belongs to several apps or environments.
  class EvidenceRefused < Error
    attr_reader :refusals

    def initialize(error, refusals)
      super(*error.values_at("code", "message"))
      @refusals = refusals
    end
  end

  # Returns the version of the library.
  def self.version = Library.appreceipt_version.to_s
end

require_relative "appreceipt/library"
require_relative "appreceipt/objects"
require_relative "appreceipt/verifier"
