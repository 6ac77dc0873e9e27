"""The court: decides claims by checks, attacks, boxes and certificates, and knows none of them."""
