# frozen_string_literal: true

require "fiddle/import"
require "json"

module AppReceipt
  # The C functions. Other threads run during calls.
  module Library
    extend Fiddle::Importer
    dlload "libappreceipt.so.0"
    extern "int appreceipt_open(const char *, size_t, void **, void **, size_t *)"
    extern "int appreceipt_verify(void *, const void *, size_t, void **, size_t *)"
    extern "int appreceipt_eligibility(void *, const char *, size_t, void **, size_t *)"
    extern "int appreceipt_verify_receipt_answer(void *, const char *, size_t, void **, size_t *)"
    extern "void appreceipt_close(void *)"
    extern "void appreceipt_free(void *)"
    extern "const char *appreceipt_version()"

    # Returns memory for a pointer or a size, with the value 0.
    def self.place
      Fiddle::Pointer.malloc(Fiddle::SIZEOF_VOIDP, Fiddle::RUBY_FREE).tap { |place| place[0, place.size] = "\0" * place.size }
    end

    # Yields places for an answer and its length. Returns the answer, or raises an error if nothing was verified. Timeouts and
    # Thread#kill are effective after the call, so that they lose no answer.
    def self.answer
      answer, length = place, place
      Thread.handle_interrupt(Object => :never) do
        code = yield answer, length
        text = answer.ptr.null? ? "" : answer.ptr[0, length[0, Fiddle::SIZEOF_SIZE_T].unpack1("J")].force_encoding("UTF-8")
        code > 1 ? raise(failure(code, text)) : text.freeze # 0 is genuine, 1 refused
      ensure
        appreceipt_free(answer.ptr)
      end
    end

    def self.failure(code, text)
      return Error.new("unavailable", "out of memory, or OpenSSL failed; nothing was verified") if code != 2
      return Error.new("bad_request", "request not understood") if text.empty?

      Error.new(*JSON.parse(text)["error"].values_at("code", "message"))
    end
  end

  # A handle of the library. `close` takes effect when no call uses the handle. Without it, the garbage collector closes the handle.
  class Handle
    def initialize(settings)
      place, @mutex, @calls, @closed = Library.place, Mutex.new, 0, false
      Thread.handle_interrupt(Object => :never) do
        Library.answer { |*answer| Library.appreceipt_open(settings, settings.bytesize, place, *answer) }
        @pointer = place.ptr
        ObjectSpace.define_finalizer(self, self.class.closing(@pointer))
      end
    end

    def self.closing(pointer) = proc { Library.appreceipt_close(pointer) }

    # Calls a function with the input, and returns the answer.
    def call(function, input)
      raise TypeError, "data: must be a String, not #{input.class}" unless input.is_a?(String)

      input = input.dup # other threads may change the original
      Thread.handle_interrupt(Object => :never) do
        enter
        begin
          Library.answer { |*answer| Library.public_send(function, @pointer, input, input.bytesize, *answer) }
        ensure
          leave
        end
      end
    end

    def close
      Thread.handle_interrupt(Object => :never) do
        @mutex.synchronize do
          release if @calls.zero? && !@closed
          @closed = true
        end
      end
    end

    private

    def enter
      @mutex.synchronize do
        raise Error.new("closed", "verifier: closed") if @closed

        @calls += 1
      end
    end

    def leave
      @mutex.synchronize do
        @calls -= 1
        release if @calls.zero? && @closed
      end
    end

    def release
      ObjectSpace.undefine_finalizer(self)
      Library.appreceipt_close(@pointer)
    end
  end
end
