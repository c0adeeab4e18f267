# Verifies a file: ruby verify.rb FILE SETTINGS
require "fiddle/import"
require "json"

module Library
  extend Fiddle::Importer
  dlload "libappreceipt.so.0"
  extern "int appreceipt_open(const char *, size_t, void **, void **, size_t *)"
  extern "int appreceipt_verify(void *, const void *, size_t, void **, size_t *)"
  extern "void appreceipt_close(void *)"
  extern "void appreceipt_free(void *)"

  def self.pointer
    Fiddle::Pointer.malloc(Fiddle::SIZEOF_VOIDP, Fiddle::RUBY_FREE)
  end

  # Returns the answer's text. Raises an error if nothing was verified.
  def self.answered
    answer = pointer
    code = yield answer, pointer
    text = answer.ptr.null? ? "" : answer.ptr.to_s.force_encoding("UTF-8")
    appreceipt_free(answer.ptr)
    code > 1 ? raise("not judged: #{text}") : text  # 0 is genuine, 1 refused
  end
end

class Verifier
  def initialize(settings)
    handle = Library.pointer
    Library.answered { |*answer| Library.appreceipt_open(settings, settings.bytesize, handle, *answer) }
    @handle = handle.ptr
  end

  def verify(input)
    JSON.parse(Library.answered { |*answer| Library.appreceipt_verify(@handle, input, input.bytesize, *answer) })["results"]
  end

  def close
    Library.appreceipt_close(@handle)
  end
end

verifier = Verifier.new(ARGV[1])
verifier.verify(File.binread(ARGV[0])).each do |result|
  receipt = result["receipt"] || {}
  puts "#{result["status"]} #{receipt["bundle_id"]}#{result.dig("refusal", "code")}"
  (receipt["in_app"] || []).each { |purchase| puts "  #{purchase["product_id"]}" }
end
verifier.close
