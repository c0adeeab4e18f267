import ArgumentParser
@main struct AppReceiptCommand: ParsableCommand {}
