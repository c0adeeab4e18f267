Gem::Specification.new do |spec|
  spec.name = "appreceipt"
  spec.version = "0.1.0"
  spec.summary = "Offline verifier of App Store receipts, signed transactions and notifications"
  spec.description = "Verifies App Store receipts, StoreKit JWS and transaction receipts with libappreceipt, and determines the " \
                     "subscription offers that a customer can still get."
  spec.authors = ["The appreceipt authors"]
  spec.license = "MIT"
  spec.files = Dir["lib/**/*.rb"] + ["README.md"]
  spec.required_ruby_version = ">= 3.0"
end
